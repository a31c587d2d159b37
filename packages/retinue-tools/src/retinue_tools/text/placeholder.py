"""Placeholder text."""

import random
from typing import Annotated, Literal

from faker import Faker
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

Locale = Literal[
    "la", "en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_BR", "nl_NL", "pl_PL", "cs_CZ", "ru_RU", "uk_UA",
    "el_GR", "ja_JP", "zh_CN", "ar_AA", "he_IL", "th_TH", "vi_VN", "da_DK",
]  # fmt: skip


class Placeholder(TypedDict):
    """Placeholder text."""

    text: Annotated[str, About("Text with paragraphs separated by blank lines")]
    words: Annotated[int, About("Number of words, separated by spaces")]


@tool(
    tags="lorem ipsum placeholder dummy filler text paragraphs design mockup",
    use_when=(
        "Give me three paragraphs of lorem ipsum",
        "I need Japanese placeholder text for a layout",
        "Make 50 words of dummy text, the same each time",
    ),
    examples=(
        Example({"unit": "words", "count": 12, "seed": 1}, {"words": 12}, source="by definition"),
        Example(
            {"unit": "words", "count": 3, "classic": True},
            {"text": "Lorem ipsum dolor", "words": 3},
            source="the customary text",
        ),
        Refusal({"unit": "words", "count": 0}, "count"),
    ),
    reply={
        "text": "{text}",
        "": "The placeholder text of {words|word}: {text}",
    },
    idempotent=False,
)
def text_generate_placeholder(
    unit: Annotated[Literal["words", "sentences", "paragraphs"], About("Unit to count")] = "paragraphs",
    count: Annotated[int, About("Number of units", minimum=1, maximum=500)] = 3,
    language: Annotated[Locale, About("Language of the words; la is the pseudo-Latin of printers")] = "la",
    classic: Annotated[bool, About("Whether to begin with 'Lorem ipsum dolor sit amet', for la")] = False,
    seed: Annotated[int | None, About("The same seed gives the same text", 1, minimum=0, maximum=2**53)] = None,
) -> Placeholder:
    """Generate placeholder text (lorem ipsum) in words, sentences or paragraphs, in one of twenty languages.

    Returns the text and its number of words.
    """
    fake = Faker(language)
    fake.seed_instance(random.SystemRandom().getrandbits(64) if seed is None else seed)
    if unit == "words":
        text = " ".join(str(word) for word in fake.words(count))
    elif unit == "sentences":
        text = " ".join(str(sentence) for sentence in fake.sentences(count))
    else:
        text = "\n\n".join(str(paragraph) for paragraph in fake.paragraphs(count))
    if classic and language == "la":
        text = _classic(text, count if unit == "words" else None)
    return {"text": text, "words": len(text.split())}


def _classic(text: str, words: int | None) -> str:
    beginning = "Lorem ipsum dolor sit amet, consectetur adipiscing elit"
    if words is None:
        return f"{beginning}. {text}"
    return " ".join(" ".join([beginning, text]).split(" ")[:words])
