"""Fills in the sentence that a tool declares for its result, as in `reply="The text is in {name}."`.

A placeholder names a field of the result by its path (`{candidates.0.name}`), or an argument (`{args.text}`).
`{count|word}` writes "1 word" or "12,000 words", `{count|entry|entries}` an irregular plural. A list becomes "a, b and
c". A last placeholder after a colon, or one without a sentence, may hold a long text or a table, which becomes a block.

A tool may declare several sentences, each under a condition: `valid`, `not valid`, or both `found, not more`. The first
is used whose condition holds and whose placeholders all have values.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from retinue.language.markdown_values import Json, block, fits_inline
from retinue.language.translation import SOURCE
from retinue.language.value_words import ValueWriter, value_writer

PLACEHOLDER = re.compile(
    r"\{(?P<path>[a-z]\w{0,60}(?:\.\w{1,60}){0,6})(?:\|(?P<one>[^{}|]{1,40}))?(?:\|(?P<many>[^{}|]{1,40}))?\}"
)
_ARGUMENTS = "args"
"""The first part of a path to an argument."""
_EMPTY: tuple[object, ...] = (None, "", [], {})


class ReplyTemplates(NamedTuple):
    """The sentences that word the result of a tool, each under its condition, and their language (ISO 639-1)."""

    language: str
    templates: Mapping[str, str]


def fill_template(
    templates: Mapping[str, str],
    result: Mapping[str, Json],
    arguments: Mapping[str, Json],
    *,
    language: str = SOURCE,
    as_json: bool = False,
    as_iso: bool = False,
) -> tuple[str, str]:
    """Return the template that fits a result, and the sentence; both empty if none fits.

    `language` is that of the templates. A block is JSON if `as_json`, and dates stay as they are if `as_iso`.
    """
    values = {**result, _ARGUMENTS: arguments}
    writer = value_writer(language, as_iso=as_iso)
    for condition, template in templates.items():
        if all(_holds(one.strip(), values) for one in condition.split(",") if one.strip()):
            sentence = _fill(template, values, as_json, writer)
            if sentence is not None:
                return template, sentence
    return "", ""


def placeholders(template: str) -> Sequence[str]:
    """Return the paths of a template's placeholders."""
    return [found["path"] for found in PLACEHOLDER.finditer(template)]


def counts_of(template: str) -> frozenset[str]:
    """Return the paths of the placeholders that count something, such as `{population|inhabitant}`."""
    return frozenset(found["path"] for found in PLACEHOLDER.finditer(template) if found["one"])


def _holds(condition: str, values: Mapping[str, Json]) -> bool:
    path = condition.removeprefix("not ")
    return bool(_value_at(path, values)) == (path == condition)


def _fill(template: str, values: Mapping[str, Json], as_json: bool, writer: ValueWriter) -> str | None:
    """Replace the placeholders; None if one has no value, or a long one where a sentence goes on."""
    parts, end, below = list[str](), 0, ""
    for found in PLACEHOLDER.finditer(template):
        value = _value_at(found["path"], values)
        is_last = found.end() == len(template) and template[: found.start()].rstrip()[-1:] in ("", ":")
        if value in _EMPTY or not (is_last or fits_inline(value)):
            return None
        parts.append(template[end : found.start()])
        end = found.end()
        if is_last and (not fits_inline(value) or _has_sentences(value)):
            below = f"\n\n{block(value, as_json, writer.labels)}"
        else:
            parts.append(_write(value, found, writer))
    return f"{''.join(parts).rstrip() if below else ''.join(parts)}{template[end:]}{below}".lstrip()


def _has_sentences(value: Json) -> bool:
    return isinstance(value, list) and any(isinstance(one, str) and one.endswith(".") for one in value)


def _write(value: Json, place: re.Match[str], writer: ValueWriter) -> str:
    one, many = place["one"], place["many"]
    if one is not None and not isinstance(value, list):
        return f"{writer.count(value)} {one if writer.is_one(value) else many or f'{one}s'}"
    parent, _, name = place["path"].rpartition(".")
    word = writer.word if parent.startswith(_ARGUMENTS) else partial(writer.named, name)
    text = writer.join([word(part) for part in value]) if isinstance(value, list) else word(value)
    return text if one is None else f"{text} {many or f'{one}s'}"


def _value_at(path: str, values: Mapping[str, Json]) -> Json:
    found: Json = values
    for name in path.split("."):
        if isinstance(found, Mapping):
            found = found.get(name)
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            return None
    return found
