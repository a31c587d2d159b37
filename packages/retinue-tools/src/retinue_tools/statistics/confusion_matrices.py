"""Tests judged by four counts: hits, false alarms, misses and correct rejections."""

from math import sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 10**12
Cases = Annotated[int, About("How many cases", 80, minimum=0, maximum=_MOST)]
Share = float | None


class CaseRates(TypedDict):
    """Figures of a test or classifier; those that divide by nothing are null."""

    accuracy: Share
    precision: Annotated[Share, About("Positive predictive value")]
    recall: Annotated[Share, About("Sensitivity, true positive rate")]
    specificity: Annotated[Share, About("True negative rate")]
    negative_predictive_value: Share
    f1: Share
    false_positive_rate: Share
    false_negative_rate: Share
    balanced_accuracy: Share
    kappa: Annotated[Share, About("Cohen's kappa of the two ratings")]
    mcc: Annotated[Share, About("Matthews' correlation")]
    prevalence: Share


@tool(
    tags="confusion matrix tp fp fn tn precision recall f1 sensitivity specificity ppv npv accuracy kappa counts",
    use_when=(
        "Precision, recall and F1 for TP 80, FP 20, FN 10",
        "Sensitivity and specificity: 45 true positives, 5 false negatives, 90 true negatives, 10 false positives",
        "Cohen's kappa: both yes 20, A yes B no 5, A no B yes 10, both no 15",
    ),
    examples=(
        Example(
            {"true_positives": 45, "false_negatives": 5, "true_negatives": 90, "false_positives": 10},
            {"recall": 0.9, "specificity": 0.9, "accuracy": 0.9, "precision": 0.818181818182},
            source="by hand: 45/50, 90/100, 135/150, 45/55",
        ),
        Example(
            {"true_positives": 20, "false_positives": 5, "false_negatives": 10, "true_negatives": 15},
            {"kappa": 0.4},
            source="Wikipedia, Cohen's kappa",
        ),
        Example(
            {"true_positives": 8, "false_positives": 2, "false_negatives": 2},
            {"f1": 0.8, "precision": 0.8, "specificity": None, "accuracy": None},
            "16 / 20",
        ),
        Refusal({"true_positives": 0}, "no cases"),
    ),
)
def stats_evaluate_counts(
    true_positives: Cases,
    false_positives: Cases = 0,
    false_negatives: Cases = 0,
    true_negatives: Cases | None = None,
) -> CaseRates:
    """Evaluate a test or classifier from its four counts: precision, recall, F1, specificity, accuracy, kappa and more.

    Use it where the counts are known; for lists of cases use ml_evaluate_classification. Without true negatives,
    figures that need them are null.
    """
    tp, fp, fn, tn = true_positives, false_positives, false_negatives, true_negatives or 0
    total = tp + fp + fn + tn
    if not total:
        raise ToolError("There are no cases. Give the counts.")
    rates = _rates(tp, fp, fn, tn)
    return rates if true_negatives is not None else _without_true_negatives(rates)


def _without_true_negatives(rates: CaseRates) -> CaseRates:
    return {
        **rates,
        "accuracy": None,
        "specificity": None,
        "negative_predictive_value": None,
        "false_positive_rate": None,
        "balanced_accuracy": None,
        "kappa": None,
        "mcc": None,
        "prevalence": None,
    }


def _rates(tp: int, fp: int, fn: int, tn: int) -> CaseRates:
    total = tp + fp + fn + tn
    recall, specificity = _share(tp, tp + fn), _share(tn, tn + fp)
    by_chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / total**2
    return {
        "accuracy": _share(tp + tn, total),
        "precision": _share(tp, tp + fp),
        "recall": recall,
        "specificity": specificity,
        "negative_predictive_value": _share(tn, tn + fn),
        "f1": _share(2 * tp, 2 * tp + fp + fn),
        "false_positive_rate": _share(fp, tn + fp),
        "false_negative_rate": _share(fn, tp + fn),
        "balanced_accuracy": None if recall is None or specificity is None else tidy((recall + specificity) / 2),
        "kappa": _share((tp + tn) / total - by_chance, 1 - by_chance),
        "mcc": _share(tp * tn - fp * fn, sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
        "prevalence": _share(tp + fn, total),
    }


def _share(part: float, whole: float) -> Share:
    return tidy(part / whole) if whole else None
