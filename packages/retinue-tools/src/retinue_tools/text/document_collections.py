"""Document collections: similarity, clusters, topics, and classification by examples."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import silhouette_score
from sklearn.model_selection import cross_val_score
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._vectors import Corpus, Language, fit, make_vectorizer, vectors_of


class Likeness(TypedDict):
    """Similarity of two documents."""

    first: Annotated[int, About("Index of the first document, from 0")]
    second: Annotated[int, About("Index of the second document")]
    similarity: Annotated[float, About("Cosine of their TF-IDF vectors: 1 for the same words, 0 for none in common")]


class Likenesses(TypedDict):
    """Similarity of documents."""

    pairs: Annotated[list[Likeness], About("Most similar pairs first")]
    mean_similarity: Annotated[float, About("Mean over all pairs")]


class Group(TypedDict):
    """A cluster of documents."""

    members: Annotated[list[int], About("Indexes of its documents, from 0")]
    terms: Annotated[list[str], About("Words with the highest weights")]
    most_typical: Annotated[int, About("Index of the document closest to the cluster's centre")]


class Groups(TypedDict):
    """Clusters of documents."""

    groups: Annotated[list[Group], About("Largest first")]
    silhouette: Annotated[
        float | None,
        About("Mean silhouette from -1 to 1, high for well separated clusters; null if each document is alone"),
    ]


class Topic(TypedDict):
    """A topic: words that occur together."""

    terms: Annotated[list[str], About("Words with the highest weights first")]
    documents: Annotated[list[int], About("Indexes of the documents in which this topic is the strongest")]


class Topics(TypedDict):
    """Topics of documents."""

    topics: Annotated[list[Topic], About("Topics")]
    weights: Annotated[list[list[float]], About("Share of every topic for each document; they sum to 1, or are all 0")]


@tool(
    tags="document similarity cosine tfidf plagiarism near duplicate compare texts",
    use_when=(
        "How similar are these two articles?",
        "Which of these support tickets say the same?",
        "Find near-duplicate descriptions in my list",
    ),
    examples=(
        Example(
            {"documents": ["red apple", "red apple", "blue sky"], "language": "none"},
            {
                "pairs": [
                    {"first": 0, "second": 1, "similarity": 1.0},
                    {"first": 0, "second": 2, "similarity": 0.0},
                    {"first": 1, "second": 2, "similarity": 0.0},
                ],
                "mean_similarity": 0.3333,
            },
            tolerance=1e-3,
            source="by definition: the same words, and no word in common",
        ),
        Example(
            {"documents": ["a cat", "a dog"], "language": "english"},
            {"mean_similarity": 0.0},
            source="a is a stop word",
        ),
        Refusal({"documents": ["of the", "and so"]}, "no words"),
    ),
    reply={
        "pairs.1": "The most similar pairs first: {pairs}",
        "pairs.0.similarity": "The similarity is {pairs.0.similarity} on a scale from 0 to 1.",
        "": "There are no pairs.",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
def text_compare_documents(
    documents: Corpus,
    language: Language = "english",
    top: Annotated[int, About("Maximum number of pairs", minimum=1, maximum=1000)] = 100,
) -> Likenesses:
    """Compare documents with each other by the cosine of their TF-IDF vectors.

    Use it to find duplicates and related texts by their words. Returns the most similar pairs and the mean.
    """
    vectors, _ = vectors_of(documents, language)
    cosines = (vectors @ vectors.T).toarray()
    firsts, seconds = np.triu_indices(len(documents), 1)
    values = np.clip(cosines[firsts, seconds], 0.0, 1.0)
    order = np.argsort(-values, kind="stable")[:top]
    pairs: list[Likeness] = [
        {"first": int(firsts[at]), "second": int(seconds[at]), "similarity": round(float(values[at]), 6)}
        for at in order
    ]
    return {"pairs": pairs, "mean_similarity": round(float(values.mean()), 6)}


@tool(
    tags="cluster documents kmeans group topics tfidf unsupervised survey answers",
    use_when=(
        "Group these survey answers by theme",
        "Sort 200 support tickets into clusters",
        "Which of these headlines belong together?",
    ),
    examples=(
        Example(
            {
                "documents": ["shares market stocks", "football goal team", "stocks market crash", "team goal win"],
                "groups": 2,
            },
            {"groups": [{"members": [0, 2]}, {"members": [1, 3]}]},
            source="by reason: two pairs without a word in common",
        ),
        Example(
            {"documents": ["sun", "rain"], "groups": 2, "language": "none"},
            {"silhouette": None},
            source="each is alone",
        ),
        Refusal({"documents": ["one", "one"], "groups": 2}, "different documents"),
    ),
    reply="The groups: {groups}",
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
def text_cluster_documents(
    documents: Corpus,
    groups: Annotated[int, About("Number of clusters", 4, minimum=2, maximum=50)],
    language: Language = "english",
) -> Groups:
    """Group documents that use the same words, by k-means over TF-IDF vectors.

    Returns the groups with their members, most important words and most typical document, and the silhouette, which
    shows how well they are separated. The same input gives the same groups.
    """
    vectors, terms = vectors_of(documents, language)
    vectors.sort_indices()
    if len({(row.indices.tobytes(), row.data.tobytes()) for row in vectors}) < groups:
        raise ToolError(f"There are fewer than {groups} different documents. Request fewer groups.")
    model = KMeans(groups, n_init=10, random_state=0).fit(vectors)
    found = [_group(number, model, vectors, terms) for number in range(groups)]
    found.sort(key=lambda group: (-len(group["members"]), group["members"]))
    return {
        "groups": found,
        "silhouette": round(float(silhouette_score(vectors, model.labels_)), 4) if groups < len(documents) else None,
    }


@tool(
    tags="topic model nmf lda themes corpus terms matrix factorization",
    use_when=(
        "What topics do these 50 reviews talk about?",
        "Find the themes of a set of abstracts",
        "Which share of each topic has every document?",
    ),
    examples=(
        Example(
            {
                "documents": ["bank loan rate", "loan rate cut", "bank rate", "goal match team", "team goal"],
                "topics": 2,
                "terms": 3,
                "language": "none",
            },
            {"topics": [{"documents": [0, 1, 2]}, {"documents": [3, 4]}]},
            source="by reason: two sets of documents without a word in common",
        ),
        Example({"documents": ["tea", "tea"], "topics": 1}, {"weights": [[1.0], [1.0]]}, source="one topic is all"),
        Refusal({"documents": ["tea", "tea"], "topics": 2}, "fewer topics"),
    ),
    reply="The topics: {topics}",
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
def text_extract_topics(
    documents: Corpus,
    topics: Annotated[int, About("Number of topics", 5, minimum=1, maximum=50)],
    terms: Annotated[int, About("Words per topic", minimum=1, maximum=30)] = 8,
    language: Language = "english",
) -> Topics:
    """Find the topics of a set of documents by non-negative matrix factorisation of their TF-IDF vectors.

    A topic is a list of words that occur together. Returns the topics with their documents, and each document's share
    of every topic.
    """
    vectors, names = vectors_of(documents, language)
    if topics > min(vectors.shape):
        raise ToolError(
            f"Request fewer topics: at most {min(vectors.shape)} are possible with these documents and words."
        )
    model = NMF(topics, init="nndsvd", max_iter=400, random_state=0)
    weights = model.fit_transform(vectors)
    totals = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    strongest = shares.argmax(axis=1)
    found: list[Topic] = [
        {
            "terms": [names[at] for at in np.argsort(-component, kind="stable")[:terms] if component[at] > 0],
            "documents": [int(at) for at in np.flatnonzero((strongest == number) & (totals[:, 0] > 0))],
        }
        for number, component in enumerate(model.components_)
    ]
    order = sorted(range(topics), key=lambda at: found[at]["documents"] or [len(documents)])
    return {
        "topics": [found[at] for at in order],
        "weights": [[round(float(row[at]), 4) for at in order] for row in shares],
    }


def _group(number: int, model: Any, vectors: Any, terms: Sequence[str]) -> Group:
    members = np.flatnonzero(model.labels_ == number)
    center = model.cluster_centers_[number]
    typical = members[np.argmax(vectors[members] @ center)]
    heaviest = [terms[at] for at in np.argsort(-center, kind="stable")[:8] if center[at] > 0]
    return {"members": [int(at) for at in members], "terms": heaviest, "most_typical": int(typical)}


class Labelled(TypedDict):
    """A text with a known class."""

    text: Annotated[str, About("The text", "My parcel never came", min_length=1, max_length=20_000)]
    label: Annotated[str, About("Class of the text", "delivery", min_length=1, max_length=100)]


class Classified(TypedDict):
    """A classified text."""

    label: Annotated[str, About("Most likely class")]
    probability: Annotated[float, About("Probability from 0 to 1 according to the model; low with few examples")]


class Classes(TypedDict):
    """Classified texts."""

    results: Annotated[list[Classified], About("Class of each text, in the given order")]
    labels: Annotated[list[str], About("All classes")]
    cross_validated_accuracy: Annotated[
        float | None, About("Accuracy on held-out examples in cross-validation; null if there are too few")
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
            {"examples": [{"text": "a b", "label": "x"}, {"text": "c d", "label": "x"}], "texts": ["a"]},
            "two different labels",
        ),
    ),
    reply={
        "results.1": "The classes: {results}",
        "": "The class is {results.0.label}.",
    },
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
def text_classify_by_examples(
    examples: Annotated[
        list[Labelled],
        About(
            "Texts with known classes",
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

    Give at least about ten examples per class. Returns a class and probability for each text, and the cross-validated
    accuracy.
    """
    labels = [example["label"] for example in examples]
    if len(set(labels)) < 2:
        raise ToolError("The examples need at least two different labels.")
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
