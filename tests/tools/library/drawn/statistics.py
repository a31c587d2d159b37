"""Tools for statistics: answers of sums over all cases, of numerical integrals, and of published tables."""

import math

from retinue.sdk import Example


def _t_tail(t: float, freedom: int) -> float:
    """P(T > t) of Student's distribution, by Simpson's rule over the density from 0 to t."""
    scale = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(freedom * math.pi)
    steps = 2000
    weights = [1, *([4, 2] * (steps // 2 - 1)), 4, 1]
    heights = ((1 + (t * n / steps) ** 2 / freedom) ** (-(freedom + 1) / 2) for n in range(steps + 1))
    return 0.5 - scale * t / steps / 3 * sum(map(math.prod, zip(weights, heights, strict=True)))


def _fisher(a: int, b: int, c: int, d: int) -> float:
    """The two-sided p-value: all tables with the same margins that are at most as likely."""
    rows, column = a + b, a + c
    counts = [
        math.comb(rows, n) * math.comb(c + d, column - n) for n in range(max(0, column - c - d), min(rows, column) + 1)
    ]
    seen = math.comb(rows, a) * math.comb(c + d, c)
    return sum(count for count in counts if count <= seen) / sum(counts)


_ROWS = [{"x": n, "kind": "low" if n < 10 else "high"} for n in (*range(8), *range(20, 28))]

CALLS = [
    (
        "list_find_streaks",
        Example(
            {"letters": "HHTTTH"},
            {"longest": 3, "value": "T", "starts_at": 3, "by_value": {"H": 2, "T": 3}, "current": 1, "runs": 3},
            source="itertools.groupby",
        ),
    ),
    ("list_find_streaks", Example({"items": ["a"]}, {"longest": 1, "current": 1, "runs": 1}, source="one item")),
    (
        "ml_train_classifier",
        Example(
            {"rows": _ROWS, "target": "kind", "features": ["x"], "model": "tree", "new_rows": [{"x": 1}, {"x": 25}]},
            {"predictions": ["low", "high"], "accuracy": 1.0, "baseline_accuracy": 0.5},
            source="one cut at 10 parts the classes",
        ),
    ),
    (
        "stats_compare_pairs_tukey",
        Example(
            {"groups": [[1, 2, 3], [4, 5, 6]]},
            {
                "pairs": [
                    {"difference": 3.0, "p_value": 2 * _t_tail(3 / math.sqrt(2 / 3), 4), "significant": True},
                ]
            },
            source="with two groups it is the t-test",
            tolerance=1e-5,
        ),
    ),
    (
        "stats_test_equivalence",
        Example(
            {"first": [1, 2, 3, 4, 5], "second": [1.1, 2.1, 3.1, 4.1, 5.1], "margin": 2},
            {"p_value": _t_tail(1.9, 8), "equivalent": True},
            source="t = (2 - 0.1) / 1 with 8 degrees of freedom",
            tolerance=1e-4,
        ),
    ),
    (
        "stats_test_equivalence",
        Example({"first": [1, 2, 3], "second": [4, 5, 6], "margin": 1}, {"equivalent": False}, source="3 > 1"),
    ),
    (
        "stats_test_fisher_exact",
        Example(
            {"table": [[8, 2], [1, 5]]}, {"p_value": _fisher(8, 2, 1, 5)}, source="all tables summed", tolerance=1e-6
        ),
    ),
    (
        "stats_test_fisher_exact",
        Example(
            {"table": [[0, 5], [4, 1]]}, {"p_value": _fisher(0, 5, 4, 1)}, source="all tables summed", tolerance=1e-6
        ),
    ),
    (
        "stats_test_goodness_of_fit",
        Example(
            {"observed": [16, 18, 16, 14, 12, 12]},
            {"chi_square": 2.0, "degrees_of_freedom": 5, "p_value": 0.84914504},
            source="documentation of scipy.stats.chisquare",
            tolerance=1e-6,
        ),
    ),
    (
        "stats_test_goodness_of_fit",
        Example(
            {"observed": [10, 30]},
            {"chi_square": 10.0, "p_value": math.erfc(math.sqrt(5))},
            source="chi-squared with one degree of freedom is a squared normal",
            tolerance=1e-6,
        ),
    ),
    (
        "stats_test_normality",
        Example({"values": [1, 2, 3, 4, 5, 6, 7]}, {"skewness": 0.0, "looks_normal": True}, source="symmetry"),
    ),
    (
        "timeseries_measure_accuracy",
        Example(
            {"actual": [3, 5, 2], "forecast": [2, 5, 4]},
            {
                "mae": 1.0,
                "rmse": math.sqrt(5 / 3),
                "bias": 1 / 3,
                "mape_percent": 400 / 9,
                "wape_percent": 30.0,
                "smape_percent": 100 * (2 / 5 + 4 / 6) / 3,
            },
            source="the definitions, by hand",
        ),
    ),
    (
        "timeseries_measure_accuracy",
        Example({"actual": [0, 2], "forecast": [1, 2]}, {"mape_percent": None, "mae": 0.5}, source="division by zero"),
    ),
]
