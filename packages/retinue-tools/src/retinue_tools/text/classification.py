"""Texts sorted into classes that examples teach."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._vectors import Language, fit, make_vectorizer


class Labelled(TypedDict):
    """A text whose class is known."""

    text: Annotated[str, About("The text", "My parcel never came", min_length=1, max_length=20_000)]
    label: Annotated[str, About("Its class", "delivery", min_length=1, max_length=100)]


class Classified(TypedDict):
    """A text with the class that was found."""

    label: Annotated[str, About("The likeliest class")]
    probability: Annotated[float, About("From 0 to 1 by the model; few examples make it cautious")]


class Classes(TypedDict):
    """Texts with their classes."""

    results: Annotated[list[Classified], About("For each text its class, in the order given")]
    labels: Annotated[list[str], About("All classes")]
    cross_validated_accuracy: Annotated[
        float | None, About("Part of the examples that is right when it is left out of training; null if too few")
    ]


@tool(
    tags="text classification classifier categorize labels machine learning sentiment spam logistic regression train",
    use_when=(
        "Sort these tickets into billing, delivery and other, by the examples I give",
        "Learn from labelled reviews which new ones are positive",
        "Is this mail spam, judging by these samples?",
    ),
    examples=(
        Example(
            {
                "examples": [
                    {"text": "great product, love it", "label": "good"},
                    {"text": "love this great phone", "label": "good"},
                    {"text": "terrible, broke at once", "label": "bad"},
                    {"text": "broke and terrible service", "label": "bad"},
                ],
                "texts": ["I love it, great", "it broke, terrible"],
            },
            {"results": [{"label": "good"}, {"label": "bad"}], "labels": ["bad", "good"]},
            source="by reason: the words of each class are apart",
        ),
        Example(
            {
                "examples": [{"text": "rot", "label": "Farbe"}, {"text": "laut", "label": "Ton"}],
                "texts": ["rot rot"],
                "language": "german",
            },
            {"results": [{"label": "Farbe"}], "cross_validated_accuracy": None},
            source="by reason; one example a class is too few to leave one out",
        ),
        Refusal(
            {"examples": [{"text": "a b", "label": "x"}, {"text": "c d", "label": "x"}], "texts": ["a"]}, "two labels"
        ),
    ),
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
def text_classify_by_examples(
    examples: Annotated[
        list[Labelled],
        About(
            "Texts whose class is known",
            [{"text": "Where is my parcel?", "label": "delivery"}],
            min_items=2,
            max_items=2000,
        ),
    ],
    texts: Annotated[
        list[Annotated[str, About("A text", max_length=20_000)]],
        About("Texts to classify", ["It has not arrived"], min_items=1, max_items=1000),
    ],
    language: Language = "none",
) -> Classes:
    """Classify texts by a model trained on labelled examples (TF-IDF of words and word pairs, logistic regression).

    Some ten examples a class or more are wanted. Returns a class and probability for each text, and the accuracy by
    cross-validation.
    """
    labels = [example["label"] for example in examples]
    if len(set(labels)) < 2:
        raise ToolError("The examples need at least two labels that differ.")
    vectorizer = make_vectorizer(language, (1, 2))
    vectors = fit(vectorizer, [example["text"] for example in examples])
    model = LogisticRegression(max_iter=1000, C=10.0, class_weight="balanced")
    accuracy = _accuracy(model, vectors, labels)
    model.fit(vectors, labels)
    chances = model.predict_proba(vectorizer.transform(texts))
    results: list[Classified] = [
        {"label": str(model.classes_[row.argmax()]), "probability": round(float(row.max()), 4)} for row in chances
    ]
    return {
        "results": results,
        "labels": [str(label) for label in model.classes_],
        "cross_validated_accuracy": accuracy,
    }


def _accuracy(model: Any, vectors: Any, labels: Sequence[str]) -> float | None:
    folds = min(5, *(labels.count(label) for label in set(labels)))
    if folds < 2:
        return None
    return round(float(cross_val_score(model, vectors, np.array(labels), cv=folds).mean()), 4)
