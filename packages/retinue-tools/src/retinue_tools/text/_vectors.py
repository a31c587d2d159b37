"""Documents as TF-IDF vectors."""

from collections.abc import Sequence
from typing import Annotated, Any

from sklearn.feature_extraction.text import TfidfVectorizer

from retinue.sdk import About, ToolError
from retinue_tools.text._stop_words import StopLanguage, stop_words

_WORD = r"(?u)\b\w+(?:['\u2019-]\w+)*\b"

Corpus = Annotated[
    list[Annotated[str, About("Document", max_length=50_000)]],
    About(
        "Documents",
        ["Shares fell.", "Markets rose.", "The team won.", "A late goal."],
        min_items=2,
        max_items=1000,
    ),
]


Language = Annotated[StopLanguage, About("Language whose function words are ignored")]


def make_vectorizer(language: StopLanguage, runs: tuple[int, int] = (1, 1)) -> Any:
    """Return a vectorizer that weights the words of texts, or runs of words; function words are ignored."""
    words = sorted(stop_words(language)) or None
    return TfidfVectorizer(stop_words=words, ngram_range=runs, max_features=50_000, token_pattern=_WORD)


def vectors_of(documents: Sequence[str], language: StopLanguage) -> tuple[Any, list[str]]:
    """Return the TF-IDF rows of length 1, and the words of the columns."""
    vectorizer = make_vectorizer(language)
    vectors = fit(vectorizer, documents)
    return vectors, [str(name) for name in vectorizer.get_feature_names_out()]


def fit(vectorizer: Any, texts: Sequence[str]) -> Any:
    """Fit the vectorizer and return the vectors of the texts. Raises `ToolError` if they have no words."""
    try:
        return vectorizer.fit_transform(texts)
    except ValueError as error:
        raise ToolError("The texts have no words except function words. Give more text, or language 'none'.") from error
