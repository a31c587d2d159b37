"""Where the style of a text could be plainer."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.text._segments import Prose, need_words, sentence_spans, words_of

_BE = r"(?:am|is|are|was|were|be|been|being|get|gets|got)"


_IRREGULAR = (
    "born broken brought built bought caught chosen done drawn driven eaten fallen felt fought found forgotten frozen"
    " given gone grown heard held hidden hit kept known laid led left lost made meant met paid put read run said seen"
    " sold sent set shown shut spoken spent stolen taken taught told thought thrown understood won worn written"
)


_PASSIVE = re.compile(
    rf"\b{_BE}\s+(?:not\s+)?(?:\w+ly\s+)?(?:\w{{2,}}ed|{'|'.join(_IRREGULAR.split())})\b", re.IGNORECASE
)


_ADVERB = re.compile(
    r"\b(?!only\b|family\b|reply\b|apply\b|supply\b|early\b|daily\b|italy\b|july\b|fly\b)\w{2,}ly\b", re.I
)


_WORDY = {
    "in order to": "to", "due to the fact that": "because", "at this point in time": "now", "a majority of": "most",
    "in the event that": "if", "with regard to": "about", "with respect to": "about", "prior to": "before",
    "subsequent to": "after", "in spite of the fact that": "although", "for the purpose of": "for", "utilize": "use",
    "utilise": "use", "facilitate": "help", "commence": "begin", "terminate": "end", "in close proximity to": "near",
    "a large number of": "many", "has the ability to": "can", "have the ability to": "can", "is able to": "can",
    "are able to": "can", "it is important to note that": "(leave out)", "on a regular basis": "regularly",
    "in the near future": "soon", "at the present time": "now", "by means of": "by", "in addition to": "besides",
    "despite the fact that": "although", "until such time as": "until", "each and every": "every",
}  # fmt: skip


Finding = Literal["long_sentence", "passive", "adverb", "wordy", "doubled_word"]


class Remark(TypedDict):
    """A place whose style could be plainer."""

    kind: Annotated[Finding, About("What was found")]
    passage: Annotated[str, About("The passage")]
    position: Annotated[int, About("Where it begins in the text, in characters from 0")]
    advice: Annotated[str, About("What to do about it")]


class Review(TypedDict):
    """Remarks on style."""

    remarks: Annotated[list[Remark], About("In the order of the text, at most 500")]
    counts: Annotated[dict[str, int], About("How many of each kind")]
    words: Annotated[int, About("Words of the text")]


@tool(
    tags="style passive voice adverbs long sentences wordy plain english proofreading editor repeated word the the",
    use_when=(
        "Where do I use the passive voice in this report?",
        "Find sentences that are too long and doubled words like 'the the'",
        "How can this text be made plainer and shorter?",
    ),
    examples=(
        Example(
            {"text": "The door was quickly closed in order to to stop the wind."},
            {
                "remarks": [
                    {"kind": "passive", "passage": "was quickly closed", "position": 9},
                    {"kind": "adverb", "passage": "quickly", "position": 13},
                    {"kind": "wordy", "passage": "in order to", "position": 28},
                    {"kind": "doubled_word", "passage": "to to", "position": 37},
                ],
                "counts": {"passive": 1, "adverb": 1, "wordy": 1, "doubled_word": 1},
            },
            source="read by a person",
        ),
        Example(
            {"text": "One two three four five six seven. Eight nine.", "max_sentence_words": 5},
            {"remarks": [{"kind": "long_sentence", "position": 0}], "words": 9},
            source="by hand",
        ),
        Refusal({"text": " "}, "holds no words"),
    ),
)
def text_review_style(
    text: Prose,
    max_sentence_words: Annotated[int, About("Longer sentences are remarked on", minimum=5, maximum=100)] = 25,
) -> Review:
    """Review the style of an English text: long sentences, passive voice, adverbs, wordy phrases and doubled words.

    Findings follow from patterns, not from grammar, so judge each. Returns them with their places and advice.
    """
    total = len(need_words(text))
    remarks = [*_long_sentences(text, max_sentence_words), *_matches(text)]
    remarks.sort(key=lambda remark: (remark["position"], remark["kind"]))
    return {
        "remarks": remarks[:500],
        "counts": dict(Counter(str(remark["kind"]) for remark in remarks)),
        "words": total,
    }


def _long_sentences(text: str, most: int) -> list[Remark]:
    remarks: list[Remark] = []
    for start, end in sentence_spans(text):
        if (size := len(words_of(text[start:end]))) > most:
            advice = f"{size} words: make two sentences of it."
            remarks.append(
                {"kind": "long_sentence", "passage": text[start:end][:300], "position": start, "advice": advice}
            )
    return remarks


def _matches(text: str) -> list[Remark]:
    """What the patterns find."""
    wordy = re.compile(rf"\b(?:{'|'.join(map(re.escape, _WORDY))})\b", re.IGNORECASE)
    doubled = re.compile(r"\b(?!had\b|that\b)([^\W\d_]+)\s+\1\b", re.IGNORECASE)
    searches: list[tuple[Finding, re.Pattern[str], Callable[[str], str]]] = [
        ("passive", _PASSIVE, lambda _: "Say who does it, if that matters."),
        ("adverb", _ADVERB, lambda _: "See whether a stronger verb does without it."),
        ("wordy", wordy, lambda passage: f"Shorter: {_WORDY[passage.lower()]}."),
        ("doubled_word", doubled, lambda _: "Drop one of the two."),
    ]
    return [
        {"kind": kind, "passage": match[0], "position": match.start(), "advice": advice(match[0])}
        for kind, pattern, advice in searches
        for match in pattern.finditer(text)
    ]
