"""Propositional logic."""

import ast
import itertools
import re
from functools import reduce
from typing import Annotated, Any, Literal

import sympy
from sympy.logic.boolalg import simplify_logic, to_cnf, to_dnf
from sympy.logic.inference import satisfiable
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import attempt, format_expression

_SPELLINGS = (
    ("<->|<=>|\u2194|\\biff\\b", " == "),
    ("->|=>|>>|\u2192|\\bimplies\\b", " in "),
    ("\u2227|&&|\\band\\b", " & "),
    ("\u2228|\\|\\||\\bor\\b", " | "),
    ("\u00ac|!|\\bnot\\b", " ~"),
    ("\u2295|\\bxor\\b", " ^ "),
    ("==", " or "),
)
"""Operators of Python with the right precedence: from or, the lowest, to in, |, ^, & and ~."""
_PLAIN = {"true": True, "false": False, "True": True, "False": False}
Proposition = Annotated[
    str,
    About(
        "Formula with and, or, not, xor, -> and <-> (or & | ~ ^); use parentheses, names are variables",
        "(a -> b) and not (b or c)",
        min_length=1,
        max_length=500,
    ),
]


class TruthTable(TypedDict):
    """Truth table of a formula."""

    variables: Annotated[list[str], About("Order of the values in each row")]
    rows: Annotated[list[list[bool]], About("Values of the variables followed by that of the formula, false first")]
    true_rows: Annotated[int, About("Number of rows in which it is true")]
    kind: Annotated[Literal["tautology", "contradiction", "contingent"], About("Always, never or sometimes true")]


class Formula(TypedDict):
    """A converted formula."""

    formula: Annotated[str, About("Formula with &, | and ~")]
    latex: Annotated[str, About("The formula in LaTeX")]


class Satisfaction(TypedDict):
    """Satisfiability of a formula."""

    satisfiable: Annotated[bool, About("Whether some values make it true")]
    model: Annotated[dict[str, bool], About("Such values, without irrelevant variables")]


class Consequence(TypedDict):
    """Relations between two formulas."""

    equivalent: Annotated[bool, About("Whether both are always equal")]
    first_implies_second: Annotated[bool, About("Whether the second is true whenever the first is")]
    second_implies_first: Annotated[bool, About("Whether the first is true whenever the second is")]
    contradictory: Annotated[bool, About("Whether both can never be true together")]
    counterexample: Annotated[dict[str, bool], About("Values at which they differ; empty if equivalent")]


def _read(text: str) -> Any:
    """Parse a formula. Operator precedence: not, and, xor, or, ->, <->; a -> b -> c is a -> (b -> c)."""
    source = text
    for pattern, spelling in _SPELLINGS:
        source = re.sub(pattern, spelling, source)
    try:
        tree = ast.parse(source.strip(), mode="eval")
        return _node(tree.body, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError(f"{text[:60]} is not a formula. Write it like (a -> b) and not c.") from error


def _node(node: ast.expr, text: str) -> Any:
    match node:
        case ast.Constant(value=bool()):
            return sympy.true if node.value else sympy.false
        case ast.Name(id=name):
            return sympy.sympify(_PLAIN[name]) if name in _PLAIN else sympy.Symbol(name[:30])
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return sympy.Not(_node(operand, text))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _connectives():
            return _connectives()[type(op)](_node(left, text), _node(right, text))
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(isinstance(op, ast.In) for op in ops):
            parts = [_node(part, text) for part in (*reversed(rest), left)]
            return reduce(lambda conclusion, premise: sympy.Implies(premise, conclusion), parts)
        case ast.BoolOp(op=ast.Or(), values=[left, right]):
            return sympy.Equivalent(_node(left, text), _node(right, text))
    raise ToolError(f"{text[:60]} has an unsupported part. Use and, or, not, xor, -> and <-> with parentheses.")


def _connectives() -> dict[type[ast.operator], Any]:
    return {ast.BitAnd: sympy.And, ast.BitOr: sympy.Or, ast.BitXor: sympy.Xor}


@tool(
    tags="truth table boolean logic tautology contradiction",
    use_when=("Make the truth table of a -> (b and not a)", "Is (p or not p) a tautology?"),
    examples=(
        Example(
            {"formula": "a -> b"},
            {
                "variables": ["a", "b"],
                "rows": [[False, False, True], [False, True, True], [True, False, False], [True, True, True]],
                "true_rows": 3,
            },
            source="material implication",
        ),
        Example({"formula": "p or not p"}, {"kind": "tautology"}, source="excluded middle"),
        Refusal({"formula": "a + b"}, "has an unsupported part"),
    ),
    reply={
        "variables": "The formula is true in {true_rows|row} ({kind}). The truth table for {variables}: {rows}",
        "": "The formula has no variables: it is a {kind}.",
    },
)
def logic_build_truth_table(formula: Proposition) -> TruthTable:
    """Build the truth table of a formula with up to 10 variables, and check whether it is a tautology.

    Use it to check arguments and circuits.
    """
    found = _read(formula)
    symbols = sorted(found.free_symbols, key=str)
    if len(symbols) > 10:
        raise ToolError("A truth table may have at most 10 variables.")
    rows = []
    for values in itertools.product([False, True], repeat=len(symbols)):
        truth = bool(found.subs(dict(zip(symbols, values, strict=True))))
        rows.append([*values, truth])
    count = sum(row[-1] for row in rows)
    kind: Literal["tautology", "contradiction", "contingent"] = "contingent"
    if count in (0, len(rows)):
        kind = "tautology" if count else "contradiction"
    return {"variables": [str(one) for one in symbols], "rows": rows, "true_rows": count, "kind": kind}


@tool(
    tags="boolean simplify minimise cnf dnf normal form sum of products quine mccluskey",
    use_when=(
        "Simplify (a and b) or (a and not b)",
        "Convert a -> (b and c) to conjunctive normal form",
        "Minimise this circuit",
    ),
    examples=(
        Example({"formula": "(a and b) or (a and not b)"}, {"formula": "a"}, source="a(b + b') = a"),
        Example(
            {"formula": "a -> (b and c)", "form": "cnf"}, {"formula": "(b | ~a) & (c | ~a)"}, source="distributive law"
        ),
        Refusal({"formula": "a and"}, "not a formula"),
    ),
    reply={
        "formula": "It comes to {formula}.",
        "": "It comes to: {formula}",
    },
    pace="normal",
)
def logic_simplify_formula(
    formula: Proposition,
    form: Annotated[
        Literal["shortest", "dnf", "cnf"], About("Shortest form, minimal sum of products, or minimal product of sums")
    ] = "shortest",
) -> Formula:
    """Simplify a formula of up to 8 variables, or convert it to a minimal disjunctive or conjunctive normal form.

    Use it for conditions in programs and for circuits. Larger formulas get a normal form that is not minimal.
    """
    found = _read(formula)
    many = len(found.free_symbols) > 8
    with attempt("The formula could not be converted."):
        if many and form != "shortest":
            result = to_cnf(found) if form == "cnf" else to_dnf(found)
        else:
            result = simplify_logic(found, None if form == "shortest" else form)
        return {"formula": format_expression(result), "latex": str(sympy.latex(result))}


@tool(
    tags="sat satisfiable model boolean solver",
    use_when=("Can a, b and c be chosen so that this formula holds?", "Is this set of rules consistent?"),
    examples=(
        Example(
            {"formulas": ["a or b", "not a"]}, {"satisfiable": True, "model": {"a": False, "b": True}}, source="by hand"
        ),
        Example({"formulas": ["a", "a -> b", "not b"]}, {"satisfiable": False, "model": {}}, source="modus ponens"),
        Refusal({"formulas": ["a >"]}, "not a formula"),
    ),
    reply={
        "satisfiable, model": "Yes, for example with these values: {model}",
        "satisfiable": "Yes, it is true with any values.",
        "": "No, no values make it true.",
    },
    pace="normal",
)
def logic_check_satisfiable(
    formulas: Annotated[
        list[Proposition], About("Formulas that must all be true", ["a or b", "not a"], min_items=1, max_items=100)
    ],
) -> Satisfaction:
    """Test whether some truth values make all formulas true, and return such values.

    Use it for consistency of rules and for logic puzzles.
    """
    model = satisfiable(sympy.And(*map(_read, formulas)))
    values = {str(one): bool(value) for one, value in model.items() if isinstance(one, sympy.Symbol)} if model else {}
    return {"satisfiable": bool(model), "model": dict(sorted(values.items()))}


@tool(
    tags="logical equivalence implication consequence entailment de morgan",
    use_when=("Is not (a and b) the same as not a or not b?", "Does p follow from p and q?"),
    examples=(
        Example(
            {"first": "not (a and b)", "second": "not a or not b"},
            {"equivalent": True, "counterexample": {}},
            source="De Morgan",
        ),
        Example(
            {"first": "p and q", "second": "p"},
            {
                "equivalent": False,
                "first_implies_second": True,
                "second_implies_first": False,
                "counterexample": {"p": True, "q": False},
            },
            source="by hand",
        ),
        Refusal({"first": "1 + 1", "second": "p"}, "has an unsupported part"),
    ),
    reply={
        "equivalent": "Yes, both formulas are equivalent.",
        "first_implies_second": "They are not equivalent, but the second follows from the first.",
        "second_implies_first": "They are not equivalent, but the first follows from the second.",
        "contradictory": "They contradict each other.",
        "counterexample": "They are not equivalent; they differ at these values: {counterexample}",
        "": "They are not equivalent.",
    },
    pace="normal",
)
def logic_compare_formulas(first: Proposition, second: Proposition) -> Consequence:
    """Test whether two formulas are equivalent, whether one follows from the other, or whether they contradict.

    Use it to check a rewritten condition or an argument. Returns values at which they differ.
    """
    one, other = _read(first), _read(second)
    differ = satisfiable(sympy.Xor(one, other))
    sample = (
        {str(name): bool(value) for name, value in differ.items() if isinstance(name, sympy.Symbol)} if differ else {}
    )
    return {
        "equivalent": not differ,
        "first_implies_second": not satisfiable(sympy.And(one, sympy.Not(other))),
        "second_implies_first": not satisfiable(sympy.And(other, sympy.Not(one))),
        "contradictory": not satisfiable(sympy.And(one, other)),
        "counterexample": dict(sorted(sample.items())),
    }
