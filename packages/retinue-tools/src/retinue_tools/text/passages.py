"""Passages between markers, acronyms with their expansions, and labelled fields."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

_MOST = 2000
Top = Annotated[int, About("Maximum number of results", minimum=1, maximum=_MOST)]

_PAIR = re.compile(
    r"^[ \t>*\-\u2022]*(?P<key>[^\W\d_][^:=\n\t]{0,60}?)[ \t*]*(?::|=|\t)(?!//)[ \t*]*(?P<value>.*)$", re.MULTILINE
)


class Passage(TypedDict):
    """A passage between markers."""

    text: Annotated[str, About("Passage without its markers")]
    start: Annotated[int, About("Start position, from 0")]
    end: Annotated[int, About("End position")]


class Passages(TypedDict):
    """Passages between markers."""

    passages: Annotated[list[Passage], About("In text order")]
    count: Annotated[int, About("Total number of passages")]


class Acronym(TypedDict):
    """An acronym with its expansion."""

    acronym: Annotated[str, About("Acronym")]
    expansion: Annotated[str | None, About("Expansion, if the text contains it")]
    count: Annotated[int, About("Number of occurrences")]


class Acronyms(TypedDict):
    """Acronyms in a text."""

    acronyms: Annotated[list[Acronym], About("In text order")]
    undefined: Annotated[list[str], About("Acronyms without an expansion in the text")]


class Fields(TypedDict):
    """Labelled fields."""

    fields: Annotated[dict[str, str], About("Values by name; several values of a name are joined with '; '")]
    count: Annotated[int, About("Number of pairs")]


@tool(
    tags="extract between markers delimiters brackets parentheses quotes tags passages",
    use_when=(
        "Get everything in square brackets from this text",
        "Extract the parts between <b> and </b>",
        "Which sentences stand in quotation marks?",
    ),
    examples=(
        Example(
            {"text": "a [b] [c [d]] e", "opening": "[", "closing": "]", "nested": True},
            {"passages": [{"text": "b", "start": 3, "end": 4}, {"text": "c [d]", "start": 7, "end": 12}], "count": 2},
            source="by hand",
        ),
        Example(
            {"text": 'say "hi" and "bye"', "opening": '"', "closing": '"'},
            {"passages": [{"text": "hi"}, {"text": "bye"}]},
            source="by hand",
        ),
        Refusal({"text": "a (b", "opening": "(", "closing": ")"}, "no passage"),
    ),
    reply={
        "passages.1": "I found {count|passage}: {passages}",
        "passages": "The passage: {passages.0.text}",
        "": "There is no such passage in the text.",
    },
)
def text_extract_between(
    text: Text,
    opening: Annotated[str, About("Marker before the passage", "[", min_length=1, max_length=200)],
    closing: Annotated[str, About("Marker after the passage", "]", min_length=1, max_length=200)],
    nested: Annotated[bool, About("Whether to match nested markers; the outermost passages are returned")] = False,
    top: Top = 500,
) -> Passages:
    """Extract the passages between two markers, such as brackets, quotation marks or tags.

    Returns the passages with their positions.
    """
    spans = list(_nest(text, opening, closing) if nested and opening != closing else _flat(text, opening, closing))
    if not spans:
        raise ToolError(f"There is no passage between {opening!r} and {closing!r}.")
    passages: list[Passage] = [{"text": text[start:end], "start": start, "end": end} for start, end in spans[:top]]
    return {"passages": passages, "count": len(spans)}


@tool(
    tags="acronyms abbreviations glossary expansion initialism definitions undefined",
    use_when=(
        "List the acronyms of this report with their meanings",
        "Which abbreviations are used without being explained?",
        "Make a glossary of short forms",
    ),
    examples=(
        Example(
            {
                "text": "The World Health Organization (WHO) met. WHO and NASA agreed on"
                " MRI (magnetic resonance imaging)."
            },
            {
                "acronyms": [
                    {"acronym": "WHO", "expansion": "World Health Organization", "count": 2},
                    {"acronym": "NASA", "expansion": None, "count": 1},
                    {"acronym": "MRI", "expansion": "magnetic resonance imaging", "count": 1},
                ],
                "undefined": ["NASA"],
            },
            source="read by a person",
        ),
        Refusal({"text": "none"}, "no acronyms"),
    ),
    reply={
        "undefined, acronyms": "{undefined} is not explained in the text: {acronyms}",
        "acronyms": "The acronyms: {acronyms}",
        "": "There are no acronyms in the text.",
    },
)
def text_extract_acronyms(text: Text) -> Acronyms:
    """Extract the acronyms of a text with the words that they stand for, if the text gives them in parentheses.

    Returns each acronym with its expansion and count, and those that are never explained.
    """
    counts: dict[str, int] = {}
    for match in re.finditer(r"(?<![\w-])[A-Z][A-Z0-9&]{1,9}(?:s(?=\W))?(?![\w-])", text):
        acronym = match[0].removesuffix("s")
        counts[acronym] = counts.get(acronym, 0) + 1
    if not counts:
        raise ToolError("There are no acronyms of two to ten capitals in the text.")
    acronyms: list[Acronym] = [
        {"acronym": name, "expansion": _expansion(name, text), "count": count}
        for name, count in list(counts.items())[:500]
    ]
    return {"acronyms": acronyms, "undefined": [one["acronym"] for one in acronyms if one["expansion"] is None]}


@tool(
    tags="key value pairs fields form parse label colon extract record",
    use_when=(
        "Turn these 'Name: value' lines into fields",
        "Parse the order details out of this mail",
        "Read the labels and values of a pasted form",
    ),
    examples=(
        Example(
            {"text": "**Name:** Ada\n- Born = 1815\nNote: see http://example.org\nplain line\nName: Lovelace"},
            {"fields": {"Name": "Ada; Lovelace", "Born": "1815", "Note": "see http://example.org"}, "count": 4},
            source="by hand",
        ),
        Example(
            {"text": "Order No.\t17\nship to: Rome", "names": "snake"},
            {"fields": {"order_no": "17", "ship_to": "Rome"}},
            "by hand",
        ),
        Refusal({"text": "no pairs here"}, "no lines"),
    ),
    reply={
        "fields": "The fields: {fields}",
        "": "There are no fields in the text.",
    },
)
def text_extract_fields(
    text: Text,
    names: Annotated[Literal["as_written", "snake"], About("snake converts names to the form order_no")] = "as_written",
) -> Fields:
    """Read lines such as 'Name: value', 'name = value' or tab-separated ones into fields.

    Use it for forms, signatures, order mails and simple settings. Returns the fields by name.
    """
    fields: dict[str, list[str]] = {}
    for match in _PAIR.finditer(text):
        name = match["key"].strip()
        key = "_".join(re.findall(r"\w+", name.lower())) if names == "snake" else name
        fields.setdefault(key, []).append(match["value"].strip().removesuffix("**").strip())
    if not fields:
        raise ToolError("There are no lines of the form 'name: value' or 'name = value'.")
    joined = {key: "; ".join(values) for key, values in list(fields.items())[:_MOST]}
    return {"fields": joined, "count": sum(map(len, fields.values()))}


def _expansion(acronym: str, text: str) -> str | None:
    """Return the words before '(ABC)' or in 'ABC (…)' whose initials form the acronym, ignoring small words."""
    quoted = re.escape(acronym)
    for match in re.finditer(rf"\({quoted}s?\)", text):
        words = text[max(0, match.start() - 200) : match.start()].split()
        for count in range(len(acronym), min(len(words), 2 * len(acronym)) + 1):
            if _abbreviates(acronym, words[-count:]):
                return " ".join(words[-count:])
    for match in re.finditer(rf"\b{quoted}s? \(([^()]{{3,200}})\)", text):
        if _abbreviates(acronym, match[1].split()):
            return match[1]
    return None


def _abbreviates(acronym: str, words: Sequence[str]) -> bool:
    parts = [part for word in words for part in word.split("-") if part]
    small = {"of", "the", "and", "for", "in", "on", "to", "a", "an", "de", "la"}
    initials = [
        "".join(part[0] for part in chosen).upper() for chosen in (parts, [p for p in parts if p.lower() not in small])
    ]
    return bool(parts) and parts[0][0].upper() == acronym[0] and acronym.replace("&", "") in initials


def _flat(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    place = 0
    while (start := text.find(opening, place)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            return
        yield start + len(opening), end
        place = end + len(closing)


def _nest(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    depth = start = 0
    for match in re.finditer(f"{re.escape(opening)}|{re.escape(closing)}", text):
        if match[0] == opening:
            depth += 1
            start = match.end() if depth == 1 else start
        elif depth:
            depth -= 1
            if not depth:
                yield start, match.start()
