"""Evaluation of classifiers and rankings."""

import math
from typing import Annotated, NotRequired

import numpy as np
from scipy.stats import rankdata
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import compute, number

Labels = Annotated[
    list[Annotated[str, About("A class", "cat", max_length=200)]],
    About("Class of each case", ["cat", "dog", "cat"], min_items=1, max_items=50_000),
]


class ClassQuality(TypedDict):
    """Quality for a class."""

    label: Annotated[str, About("The class")]
    precision: Annotated[
        float, About("Precision: share of predictions of this class that are correct; 0 if there were none")
    ]
    recall: Annotated[float, About("Recall: share of cases of this class that were found; 0 if it does not occur")]
    f1: Annotated[float, About("Harmonic mean of precision and recall")]
    support: Annotated[int, About("Number of true cases")]


class Quality(TypedDict):
    """Quality of a classification."""

    accuracy: Annotated[float, About("Accuracy: share of correct predictions")]
    f1_macro: Annotated[float, About("Mean F1 of the classes")]
    f1_weighted: Annotated[float, About("Mean F1 weighted by support")]
    matthews: Annotated[float, About("Matthews correlation from -1 to 1; 0 if not defined")]
    classes: Annotated[list[ClassQuality], About("Metrics by class")]
    confusion: Annotated[
        list[list[int]], About("Confusion matrix: rows for the true, columns for the predicted class, in that order")
    ]
    roc_auc: NotRequired[Annotated[float, About("Area under the ROC curve, if scores are given")]]
    best_threshold: NotRequired[
        Annotated[float, About("Score threshold that maximises sensitivity plus specificity (Youden)")]
    ]


@tool(
    tags="classification metrics accuracy precision recall f1 confusion matrix roc auc mcc evaluate threshold",
    use_when=(
        "How good are the predictions cat, cat, dog against the truth cat, dog, dog?",
        "Compute precision, recall and F1 with a confusion matrix",
        "What is the AUC of these scores?",
    ),
    examples=(
        Example(
            {"actual": ["cat"] * 8 + ["dog"] * 4,
             "predicted": ["cat"] * 6 + ["dog"] * 2 + ["cat"] + ["dog"] * 3},
            {"accuracy": 0.75, "confusion": [[6, 2], [1, 3]],
             "classes": [{"label": "cat", "precision": 6 / 7, "recall": 0.75}, {"label": "dog", "recall": 0.75}]},
            source="Wikipedia, Confusion matrix: 8 cats and 4 dogs",
        ),
        Example(
            {"actual": ["0", "0", "1", "1"], "predicted": ["0", "0", "0", "1"], "scores": [0.1, 0.4, 0.35, 0.8],
             "positive": "1"},
            {"roc_auc": 0.75, "f1_macro": (0.8 + 2 / 3) / 2},
            source="by hand: 3 of 4 pairs are in order",
        ),
        Refusal({"actual": ["a"], "predicted": ["a", "b"]}, "the same number"),
    ),
    reply={
        "classes": "The accuracy is {accuracy} and the mean F1 {f1_macro}: {classes}",
        "": "The accuracy is {accuracy} and the mean F1 {f1_macro}.",
    },
    memory_mb=1024,
)  # fmt: skip
@compute()
def ml_evaluate_classification(
    actual: Labels,
    predicted: Labels,
    scores: Annotated[
        list[Annotated[float, About("A score", 0.8, minimum=-1e15, maximum=1e15)]] | None,
        About("Score or probability of the positive class of each case", [0.1, 0.8], min_items=1, max_items=50_000),
    ] = None,
    positive: Annotated[str, About("The positive class, with scores", max_length=200)] = "",
) -> Quality:
    """Evaluate predicted classes against the truth: accuracy, precision, recall, F1, Matthews, confusion, AUC.

    Use it for classifiers, tests and annotations. With scores of a positive class, it also returns AUC and the best
    threshold.
    """
    if len(actual) != len(predicted) or (scores is not None and len(scores) != len(actual)):
        raise ToolError("There must be the same number of predictions, and scores if given, as true classes.")
    names = sorted({*actual, *predicted})
    if len(names) > 100:
        raise ToolError("There are more than 100 classes.")
    places = {name: place for place, name in enumerate(names)}
    table = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(table, ([places[name] for name in actual], [places[name] for name in predicted]), 1)
    hits, true, predictions = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    f1 = 2 * hits / np.maximum(true + predictions, 1)
    result: Quality = {
        "accuracy": number(hits.sum() / len(actual)),
        "f1_macro": number(f1.mean()),
        "f1_weighted": number((f1 * true).sum() / len(actual)),
        "matthews": _matthews(hits, true, predictions),
        "classes": [
            {
                "label": name,
                "precision": number(hits[k] / max(predictions[k], 1)),
                "recall": number(hits[k] / max(true[k], 1)),
                "f1": number(f1[k]),
                "support": int(true[k]),
            }
            for name, k in places.items()
        ],
        "confusion": table.tolist(),
    }
    if scores is not None:
        result["roc_auc"], result["best_threshold"] = _roc(actual, scores, positive)
    return result


def _matthews(hits: np.ndarray, true: np.ndarray, predictions: np.ndarray) -> float:
    total = float(true.sum())
    spread = math.sqrt(total**2 - float((predictions**2).sum())) * math.sqrt(total**2 - float((true**2).sum()))
    return (float(hits.sum()) * total - float((true * predictions).sum())) / spread if spread else 0.0


def _roc(actual: list[str], scores: list[float], positive: str) -> tuple[float, float]:
    """Return the area under the curve by ranks, and the threshold of Youden's index."""
    yes = np.array([label == positive for label in actual])
    if yes.all() or not yes.any():
        raise ToolError("For scores, specify the positive class; there must be cases of it and others.")
    ranks = rankdata(scores)
    count = int(yes.sum())
    area = (ranks[yes].sum() - count * (count + 1) / 2) / (count * (len(yes) - count))
    order = np.argsort(-np.array(scores), kind="stable")
    ordered = np.array(scores)[order]
    gain = np.cumsum(yes[order]) / count - np.cumsum(~yes[order]) / (len(yes) - count)
    last = np.append(ordered[1:] != ordered[:-1], True)
    return number(area), number(ordered[last][np.argmax(gain[last])])


class RankingQuality(TypedDict):
    """Quality of rankings, averaged over queries."""

    ndcg: Annotated[float, About("Normalised discounted cumulative gain at k (linear gain)")]
    mrr: Annotated[float, About("Mean reciprocal rank of the first relevant item within k")]
    average_precision: Annotated[float, About("Mean average precision at k")]
    precision_at_k: Annotated[float, About("Share of relevant items among the first k")]
    recall_at_k: Annotated[float, About("Share of the relevant items found among the first k")]
    queries: Annotated[int, About("Number of queries with at least one relevant item; others are ignored")]


@tool(
    tags="ranking metrics ndcg mrr map recall precision at k search retrieval recommender evaluate rag",
    use_when=(
        "How good is my search? Relevance of results in order: 3, 2, 3, 0, 1, 2",
        "Compute MRR and recall at 5",
        "Evaluate the retrieval of my RAG system",
    ),
    examples=(
        Example(
            {"relevance": [[3, 2, 3, 0, 1, 2]], "k": 6},
            {"ndcg": 6.861126688593502 / 7.140995107, "mrr": 1.0},
            source="Wikipedia, Discounted cumulative gain: DCG 6.861; ideal 7.141 when the six are sorted",
            tolerance=1e-4,
        ),
        Example(
            {"relevance": [[0, 0, 1], [0, 1, 0], [1, 0, 0]], "k": 3},
            {"mrr": 11 / 18, "recall_at_k": 1.0, "average_precision": 11 / 18, "queries": 3},
            source="Wikipedia, Mean reciprocal rank: 11/18",
        ),
        Refusal({"relevance": [[0, 0]]}, "no relevant"),
    ),
    reply="NDCG is {ndcg}, MRR {mrr}, precision {precision_at_k} and recall {recall_at_k}.",
    memory_mb=1024,
)
@compute()
def ml_evaluate_ranking(
    relevance: Annotated[
        list[
            Annotated[
                list[Annotated[float, About("Relevance", 3, minimum=0, maximum=1000)]],
                About("Relevance of the results in order, 0 for irrelevant", [3, 2, 0], min_items=1, max_items=1000),
            ]
        ],
        About(
            "One list for each query with the relevance of all judged items in ranking order",
            [[3, 2, 3, 0]],
            min_items=1,
            max_items=1000,
        ),
    ],
    k: Annotated[int, About("Number of first results to evaluate", minimum=1, maximum=1000)] = 10,
) -> RankingQuality:
    """Evaluate rankings of search results or recommendations: NDCG, MRR, MAP, precision and recall at k.

    Use it with the relevance of each result in ranked order, followed by relevant items that were not found.
    """  # fmt: skip
    judged = [np.array(row, dtype=float) for row in relevance if any(row)]
    if not judged:
        raise ToolError("There is no relevant item in any query.")
    if sum(map(len, judged)) > 100_000:
        raise ToolError("There are more than 100,000 judgements. Send fewer queries.")
    figures = np.array([_ranking_metrics(row, k) for row in judged]).mean(axis=0)
    ndcg, mrr, average, precision, recall = (number(value) for value in figures)
    return {
        "ndcg": ndcg,
        "mrr": mrr,
        "average_precision": average,
        "precision_at_k": precision,
        "recall_at_k": recall,
        "queries": len(judged),
    }


def _ranking_metrics(row: np.ndarray, k: int) -> tuple[float, float, float, float, float]:
    first, ideal = row[:k], np.sort(row)[::-1][:k]
    discount = 1 / np.log2(np.arange(2, k + 2))
    hits = first > 0
    places = np.flatnonzero(hits) + 1
    relevant = int((row > 0).sum())
    return (
        float(first @ discount[: len(first)] / (ideal @ discount[: len(ideal)])),
        1 / float(places[0]) if len(places) else 0.0,
        float((np.arange(1, len(places) + 1) / places).sum()) / min(relevant, k),
        float(hits.sum()) / k,
        float(hits.sum()) / relevant,
    )
