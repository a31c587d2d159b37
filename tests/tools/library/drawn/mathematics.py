"""Tools for mathematics: answers of the standard library, and worked out on paper."""

import math
from decimal import Decimal, localcontext

from retinue.sdk import Example, Refusal

with localcontext() as _context:
    _context.prec = 40
    _ROOT, _E, _SEVENTH = str(Decimal(2).sqrt()), str(Decimal(1).exp()), str(Decimal(1) / 7)

CALLS = [
    (
        "complex_compute_forms",
        Example(
            {"expression": "(1 + 2i)*(3 - 4i)"},
            {"real": 11.0, "imaginary": 2.0, "modulus": abs((1 + 2j) * (3 - 4j)), "conjugate": "11 - 2i"},
            source="Python's complex",
        ),
    ),
    (
        "complex_compute_forms",
        Example({"expression": "i^i"}, {"real": math.exp(-math.pi / 2), "imaginary": 0.0}, source="exp(-pi / 2)"),
    ),
    ("complex_compute_forms", Example({"expression": "-1"}, {"argument_degrees": 180.0}, source="cmath.phase")),
    (
        "logic_build_truth_table",
        Example({"formula": "a and not a"}, {"true_rows": 0, "kind": "contradiction"}, source="by hand"),
    ),
    (
        "logic_build_truth_table",
        Example(
            {"formula": "(p -> q) <-> (not q -> not p)"}, {"true_rows": 4, "kind": "tautology"}, source="contraposition"
        ),
    ),
    *(
        ("logic_build_truth_table", Example({"formula": formula}, {"kind": "tautology"}, source="by hand"))
        for formula in (
            "p and (p -> q) -> q",
            "a -> b -> a",
            "a and b -> a or c",
            "a -> b <-> not a or b",
            "(a or b xor c) <-> (a or (b xor c))",
            "(a xor b and c) <-> (a xor (b and c))",
            "(not a and b) <-> ((not a) and b)",
            "(a >> b | c) == (a -> (b or c))",
        )
    ),
    ("logic_build_truth_table", Refusal({"formula": "a <-> b <-> c"}, "parentheses")),
    *(
        ("math_check_identity", Example({"first": first, "second": second}, {"equal": equal}, source="by hand"))
        for first, second, equal in (
            ("sin(x)^2", "1 - cos(x)^2", True),
            ("(a + b)^2", "a^2 + b^2", False),
            ("sqrt(x^2)", "x", False),
            ("sqrt(x^2)", "abs(x)", True),
        )
    ),
    (
        "math_compute_vector_calculus",
        Example(
            {"expressions": ["x^2", "y^2", "z^2"], "operator": "divergence"},
            {"entries": [["2*x + 2*y + 2*z"]]},
            source="2x + 2y + 2z",
        ),
    ),
    (
        "math_compute_vector_calculus",
        Example(
            {"expressions": ["x^2*y"], "operator": "hessian"},
            {"entries": [["2*y", "2*x"], ["2*x", "0"]]},
            source="second derivatives by hand",
        ),
    ),
    *(
        ("math_evaluate_precise", Example({"expression": text, "digits": 40}, {"digits": digits}, source="decimal"))
        for text, digits in (("sqrt(2)", _ROOT), ("exp(1)", _E), ("1/7", _SEVENTH))
    ),
    *(
        ("number_convert_scientific", Example({"number": number}, wanted, source="by hand"))
        for number, wanted in (
            ("299792458", {"scientific": "2.99792458 x 10^8", "engineering": "299.792458 x 10^6", "prefix": "mega"}),
            ("-0.001", {"exponent": -3, "prefix": "milli", "plain": "-0.001"}),
            ("6.022e23", {"plain": "602200000000000000000000", "exponent": 23, "mantissa": "6.022"}),
        )
    ),
    *(
        ("number_divide_whole", Example({"total": total, "piece": piece}, wanted, source="decimal arithmetic"))
        for total, piece, wanted in (
            (1, 0.1, {"pieces": 10, "remainder": 0.0, "rounded_up": 10}),
            (0.3, 0.1, {"pieces": 3, "remainder": 0.0, "rounded_up": 3}),
            (0, 5, {"pieces": 0, "remainder": 0.0, "rounded_up": 0}),
        )
    ),
    *(
        ("number_find_primitive_root", Example({"modulus": modulus}, wanted, source="OEIS A001918; phi(phi(n))"))
        for modulus, wanted in (
            ("41", {"primitive_root": "6", "generators": "16", "group_order": "40"}),
            ("8", {"primitive_root": None, "group_order": "4"}),
            ("409", {"primitive_root": "21"}),
        )
    ),
    *(
        (
            "number_round_exactly",
            Example(
                {"number": number, "digits": digits, "count": count, "mode": mode},
                {"result": result},
                source="decimal.quantize",
            ),
        )
        for number, digits, count, mode, result in (
            ("-2.5", 0, "decimals", "half_even", "-2"),
            ("-2.5", 0, "decimals", "half_up", "-3"),
            ("-2.5", 0, "decimals", "ceiling", "-2"),
            ("1250", -2, "decimals", "half_even", "1200"),
            ("0.0012345", 3, "significant", "down", "0.00123"),
        )
    ),
    (
        "number_solve_congruences",
        Example(
            {"congruences": [{"remainder": 3, "modulus": 4}, {"remainder": 5, "modulus": 6}]},
            {"smallest": "11", "modulus": "12"},
            source="11 = 2 * 4 + 3 = 6 + 5",
        ),
    ),
    (
        "number_solve_congruences",
        Refusal({"congruences": [{"remainder": 1, "modulus": 2}, {"remainder": 0, "modulus": 4}]}, "congruences"),
    ),
    (
        "polynomial_divide_terms",
        Example(
            {"dividend": "x^4 - 1", "divisor": "x - 1"},
            {"quotient": "x**3 + x**2 + x + 1", "remainder": "0", "divides_evenly": True},
            source="the geometric sum",
        ),
    ),
    (
        "quadratic_describe_parabola",
        Example(
            {"expression": "2*x^2 - 8*x + 8"},
            {"vertex_x": "2", "vertex_y": "0", "discriminant": "0", "real_roots": [2.0]},
            source="2 (x - 2)^2",
        ),
    ),
    (
        "quadratic_describe_parabola",
        Example({"expression": "-x^2 - 1"}, {"discriminant": "-4", "real_roots": [], "vertex_y": "-1"}, source="paper"),
    ),
    (
        "ratio_simplify_terms",
        Example({"terms": [0.5, 0.75]}, {"ratio": "2:3", "shares_percent": [40.0, 60.0]}, source="fractions"),
    ),
    ("ratio_simplify_terms", Example({"terms": [100, 250, 50]}, {"ratio": "2:5:1"}, source="the divisor is 50")),
]
