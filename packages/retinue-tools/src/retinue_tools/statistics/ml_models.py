"""Supervised learning on tables, evaluated by cross-validation."""

from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._rows import Names, Rows, Target, complete, encoding, labels, numbers
from retinue_tools.statistics._values import Seed, compute, number

_MOST_ROWS = 2000
_SPLIT = [{"x": t, "kind": "low" if t < 10 else "high"} for t in range(20)]
_STRAIGHT = [{"x": t, "z": t % 3, "y": 3 * t + 1} for t in range(30)]
_WORDS = (["great film, loved it", "wonderful and great acting", "loved the great story"] * 2
          + ["terrible film, hated it", "boring and terrible acting", "hated the boring story"] * 2)  # fmt: skip
_OPINIONS = ["good"] * 6 + ["bad"] * 6
Model = Annotated[
    Literal["forest", "boosting", "tree", "linear", "neighbours"],
    About("Random forest, gradient boosting, decision tree, logistic or ridge regression, or nearest neighbours"),
]
Folds = Annotated[int, About("Number of folds of the cross-validation", minimum=2, maximum=10)]
NewRows = Annotated[list[dict[str, Any]], About("Rows to predict", [{"weight": 3}], min_items=1, max_items=1000)]


class Importance(TypedDict):
    """Importance of a column."""

    feature: Annotated[str, About("Column, or column=value for text")]
    importance: Annotated[float, About("Decrease of accuracy or R squared if its values are shuffled")]


class Confusion(TypedDict):
    """Row of a confusion matrix."""

    actual: Annotated[str, About("True class")]
    predicted: Annotated[dict[str, int], About("Number of predictions by class")]


class Classifier(TypedDict):
    """A classifier and its quality on unseen rows."""

    accuracy: Annotated[float, About("Accuracy in cross-validation")]
    balanced_accuracy: Annotated[float, About("Balanced accuracy: mean over the classes")]
    f1_macro: Annotated[float, About("Mean F1 over the classes")]
    baseline_accuracy: Annotated[float, About("Baseline: accuracy of always predicting the most common class")]
    confusion: Annotated[list[Confusion], About("Confusion matrix of the cross-validation")]
    importances: NotRequired[Annotated[list[Importance], About("Most important columns first, at most 50")]]
    predictions: NotRequired[
        Annotated[list[str], About("Predictions for the new cases, by a model trained on all rows")]
    ]
    confidences: NotRequired[Annotated[list[float], About("Probability of each predicted class")]]


class Regressor(TypedDict):
    """A regressor and its quality on unseen rows."""

    r_squared: Annotated[float, About("R squared in cross-validation; 0 is no better than the mean, negative is worse")]
    mae: Annotated[float, About("Mean absolute error in cross-validation")]
    rmse: Annotated[float, About("Root mean squared error in cross-validation")]
    baseline_mae: Annotated[float, About("Baseline: mean absolute error of always predicting the mean")]
    importances: Annotated[list[Importance], About("Most important columns first, at most 50")]
    predictions: NotRequired[
        Annotated[list[float], About("Predictions for the new rows, by a model trained on all rows")]
    ]


def _classifier(kind: str, seed: int, smallest: int) -> Any:
    return {
        "forest": lambda: RandomForestClassifier(100, random_state=seed),
        "boosting": lambda: GradientBoostingClassifier(n_estimators=60, random_state=seed),
        "tree": lambda: DecisionTreeClassifier(max_depth=6, random_state=seed),
        "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(min(5, smallest))),
    }[kind]()


def _regressor(kind: str, seed: int, smallest: int) -> Any:
    return {
        "forest": lambda: RandomForestRegressor(100, random_state=seed),
        "boosting": lambda: GradientBoostingRegressor(n_estimators=100, random_state=seed),
        "tree": lambda: DecisionTreeRegressor(max_depth=6, random_state=seed),
        "linear": lambda: make_pipeline(StandardScaler(), RidgeCV(np.logspace(-4, 4, 17))),
        "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsRegressor(min(5, smallest))),
    }[kind]()


def _importances(model: Any, matrix: np.ndarray, outcome: Any, terms: list[str], seed: int) -> list[Importance]:
    found = permutation_importance(model, matrix, outcome, n_repeats=3, random_state=seed).importances_mean
    ranked = sorted(zip(terms, found, strict=True), key=lambda pair: -pair[1])
    return [{"feature": term, "importance": number(value)} for term, value in ranked[:50]]


def _judge(model: Any, cases: Any, classes: np.ndarray, folds: int, seed: int) -> Classifier:
    """Evaluate a classifier by stratified cross-validation. Raises `ToolError`."""
    names, counts = np.unique(classes, return_counts=True)
    if not 2 <= len(names) <= 50 or counts.min() < 2:
        raise ToolError("There must be 2 to 50 classes with at least two cases of each.")
    splits = StratifiedKFold(min(folds, int(counts.min())), shuffle=True, random_state=seed)
    guessed = cross_val_predict(model, cases, classes, cv=splits)
    table = confusion_matrix(classes, guessed, labels=names)
    return {
        "accuracy": number((guessed == classes).mean()),
        "balanced_accuracy": number(balanced_accuracy_score(classes, guessed)),
        "f1_macro": number(f1_score(classes, guessed, average="macro", zero_division=0)),
        "baseline_accuracy": number(counts.max() / len(classes)),
        "confusion": [
            {"actual": str(name), "predicted": {str(n): int(c) for n, c in zip(names, row, strict=True)}}
            for name, row in zip(names, table, strict=True)
        ],
    }


def _predict(result: Classifier, model: Any, cases: Any) -> None:
    chances = model.predict_proba(cases)
    result["predictions"] = [str(model.classes_[place]) for place in chances.argmax(axis=1)]
    result["confidences"] = [number(value) for value in chances.max(axis=1)]


@tool(
    tags="classification classifier machine learning random forest boosting tree knn predict cross-validation",
    use_when=(
        "Predict which customers will leave from these rows",
        "Train a random forest on this table and classify the new rows",
        "Which columns matter most for the class?",
    ),
    examples=(
        Example(
            {"rows": _SPLIT, "target": "kind", "features": ["x"], "model": "tree", "new_rows": [{"x": 1}, {"x": 18}]},
            {"predictions": ["low", "high"], "baseline_accuracy": 0.5, "confidences": [1.0, 1.0]},
            source="by hand: the classes are parted at 9.5",
        ),
        Example(
            {"rows": _SPLIT, "target": "kind", "features": ["x"], "new_rows": [{"x": 2}]},
            {"predictions": ["low"], "importances": [{"feature": "x"}]},
            source="by hand: the classes are parted at 9.5",
        ),
        Refusal({"rows": _SPLIT[:5], "target": "kind", "features": ["x"]}, "2 to 50 classes"),
    ),
    reply={
        "predictions": (
            "The accuracy is {accuracy}, against {baseline_accuracy} by guessing the most common class. The "
            "predictions: {predictions}"
        ),
        "": "The accuracy is {accuracy}, against {baseline_accuracy} by guessing the most common class.",
    },
    tier="pro", credits=5, pace="long", memory_mb=2048,
)  # fmt: skip
@compute()
def ml_train_classifier(
    rows: Rows,
    target: Target,
    features: Names,
    model: Model = "forest",
    folds: Folds = 5,
    new_rows: NewRows | None = None,
    seed: Seed = 1,
) -> Classifier:
    """Train a classifier on a table, evaluate it by cross-validation, rank the columns and classify new rows.

    Use it to predict a class such as churn or species. Text columns are split by value; rows with missing values are
    ignored.
    """
    full_rows, matrix, coded = _learnt(rows, target, features)
    classes = np.array(labels(full_rows, target))
    learner = _classifier(model, seed, max(1, len(full_rows) // 4))
    result = _judge(learner, matrix, classes, folds, seed)
    learner.fit(matrix, classes)
    result["importances"] = _importances(learner, matrix, classes, coded.terms, seed)
    if new_rows:
        _predict(result, learner, coded.matrix(complete(new_rows, features, least=len(new_rows))))
    return result


def _learnt(rows: list[dict[str, Any]], target: str, features: list[str]) -> tuple[Any, np.ndarray, Any]:
    if target in features:
        raise ToolError(f"{target} is the target, so it must not be among the features.")
    full_rows = complete(rows, [target, *features], least=4)
    coded = encoding(full_rows, features, reference=False)
    if len(full_rows) > _MOST_ROWS or len(full_rows) * len(coded.terms) > 40_000:
        raise ToolError("At most 2000 rows, and 40,000 cells, are supported. Send fewer rows or columns.")
    return full_rows, coded.matrix(full_rows), coded


@tool(
    tags="regression regressor machine learning random forest boosting predict number cross-validation ridge",
    use_when=(
        "Predict house prices from area, rooms and district",
        "Train gradient boosting on this table and predict the new rows",
        "How well can consumption be predicted from these columns?",
    ),
    examples=(
        Example(
            {"rows": _STRAIGHT, "target": "y", "features": ["x", "z"], "model": "linear",
             "new_rows": [{"x": 40, "z": 1}]},
            {"predictions": [121.0], "r_squared": 1.0, "importances": [{"feature": "x"}, {"feature": "z"}],
             "baseline_mae": 22.5},
            source="by hand: y = 3x + 1; mean distance of 30 even steps of 3 from their middle",
            tolerance=1e-3,
        ),
        Example(
            {"rows": _STRAIGHT, "target": "y", "features": ["x"], "model": "tree", "new_rows": [{"x": 0}]},
            {"predictions": [1.0]},
            source="by hand: a tree of depth 6 holds each of 30 rows in a leaf of its own",
        ),
        Refusal({"rows": _STRAIGHT, "target": "y", "features": ["y"]}, "must not be among"),
    ),
    reply={
        "predictions": "R² is {r_squared}, with a mean error of {mae}. The predictions: {predictions}",
        "": "R² is {r_squared}, with a mean error of {mae}, against {baseline_mae} for the mean.",
    },
    tier="pro", credits=5, pace="long", memory_mb=2048,
)  # fmt: skip
@compute()
def ml_train_regressor(
    rows: Rows,
    target: Target,
    features: Names,
    model: Model = "forest",
    folds: Folds = 5,
    new_rows: NewRows | None = None,
    seed: Seed = 1,
) -> Regressor:
    """Train a regressor on a table, evaluate it by cross-validation, rank the columns and predict new rows.

    Use it to predict a number such as a price. Text columns are split by value; rows with missing values are ignored.
    """
    full_rows, matrix, coded = _learnt(rows, target, features)
    outcome = numbers(full_rows, target)
    if np.ptp(outcome) == 0:
        raise ToolError(f"All values of {target} are equal, so there is nothing to predict.")
    learner = _regressor(model, seed, max(1, len(full_rows) // 4))
    splits = KFold(min(folds, len(full_rows)), shuffle=True, random_state=seed)
    error = cross_val_predict(learner, matrix, outcome, cv=splits) - outcome
    learner.fit(matrix, outcome)
    result: Regressor = {
        "r_squared": number(1 - (error**2).sum() / ((outcome - outcome.mean()) ** 2).sum()),
        "mae": number(np.abs(error).mean()),
        "rmse": number((error**2).mean() ** 0.5),
        "baseline_mae": number(np.abs(outcome - outcome.mean()).mean()),
        "importances": _importances(learner, matrix, outcome, coded.terms, seed),
    }
    if new_rows:
        new_matrix = coded.matrix(complete(new_rows, features, least=len(new_rows)))
        result["predictions"] = [number(value) for value in learner.predict(new_matrix)]
    return result


@tool(
    tags="text classification classifier tf-idf spam sentiment topic labels machine learning nlp",
    use_when=(
        "Sort these mails into complaint, question and praise by my labelled examples",
        "Train a spam filter on these texts",
        "Classify new reviews as good or bad from these labelled ones",
    ),
    examples=(
        Example(
            {"texts": _WORDS, "labels": _OPINIONS, "new_texts": ["a great story, loved it", "terrible and boring"]},
            {"predictions": ["good", "bad"], "baseline_accuracy": 0.5, "accuracy": 1.0},
            source="by hand: the words of the two classes differ",
        ),
        Example(
            {"texts": _WORDS, "labels": _OPINIONS, "folds": 2, "new_texts": ["hated"]},
            {"predictions": ["bad"]},
            source="by hand: the word occurs in one class only",
        ),
        Refusal({"texts": _WORDS[:4], "labels": ["a", "b"] * 3}, "the same number"),
    ),
    tier="pro", credits=2, pace="normal", memory_mb=2048,
)  # fmt: skip
@compute()
def ml_classify_texts(
    texts: Annotated[
        list[Annotated[str, About("A text", "great film", max_length=5000)]],
        About("Texts with known labels", ["great film", "boring film"], min_items=4, max_items=3000),
    ],
    labels: Annotated[
        list[Annotated[str, About("A label", "good", min_length=1, max_length=100)]],
        About("Label of each text", ["good", "bad"], min_items=4, max_items=3000),
    ],
    new_texts: Annotated[
        list[Annotated[str, About("A text", "loved it", max_length=5000)]] | None,
        About("Texts to label", ["loved it"], min_items=1, max_items=1000),
    ] = None,
    folds: Folds = 5,
    seed: Seed = 1,
) -> Classifier:
    """Learn to label texts from examples (TF-IDF of words, logistic regression), evaluate it and label new texts.

    Use it for spam, topics and opinions in any language with spaces. It needs at least two texts for each label.
    """
    if len(labels) != len(texts):
        raise ToolError("There must be the same number of labels and texts.")
    learner = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), max_features=20_000, sublinear_tf=True),
        LogisticRegression(max_iter=1000, C=10.0),
    )
    result = _judge(learner, texts, np.array(labels), folds, seed)
    if new_texts:
        _predict(result, learner.fit(texts, labels), new_texts)
    return result
