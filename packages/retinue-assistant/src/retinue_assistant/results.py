"""Words tool results without a model: small models confuse values (a slope with an intercept), and are slow.

The reply is a sentence with the requested value, and at most three sentences with related facts; the run's steps
contain the whole result. Tables and multi-line texts become blocks below a sentence. The model handles long results,
and requests that need more than values.
"""

import re
from collections.abc import Callable, Container, Mapping, Sequence

from retinue.language.markdown_values import Json, block, fits_inline, group_thousands, in_sentence, inline
from retinue.language.reply_templates import ReplyTemplates, counts_of, fill_template, placeholders
from retinue.language.text_normalization import stems
from retinue.language.translation import SOURCE
from retinue_assistant.confirming import confirm
from retinue_assistant.conversation_turn import ToolAttempt, read_result
from retinue_assistant.headline import COUNTS, answering_fields, is_given, main_field, requested_fields
from retinue_assistant.numbers import has_digits
from retinue_assistant.responses import body_of, failure_of, is_response
from retinue_assistant.restating import restate, restate_judgement
from retinue_assistant.rounding import parse_rounded, split_decimals
from retinue_assistant.units import label, value_with_unit, with_units

_PROSE = re.compile(
    r"\b(?:explain|why|summari[sz]e(?! my\b)|summary|discuss|suggest|recommend|advi[cs]e|write (?:a|an|me|us)\b|draft"
    r"|compose|poem|story|in your own words|what do you think)",
    re.IGNORECASE,
)
_SUMMARIES = "text_summarize"
"""Prefix of tools whose results are prose."""
_DESCRIBING = re.compile(r"^\W*(?:please\s)?(?:describe|analy[sz]e)\b", re.IGNORECASE)
_DESCRIBED = 8
"""Most fields of a description."""
_LONGEST = 4000
"""Most characters of a result to format. A longer one needs a summary by the model."""
_LEFT_OUT = re.compile(r"\n\u2026 (?:\(shortened\)|[\d,]+ of [\d,]+ characters are left out\b)[^\n]*\n")
"""Matches the place where the server left out a part of a result that is too long for the model's context."""
NO_WORDING = ReplyTemplates(SOURCE, {})
_REST = {
    "en": "These are not all: the whole result is in the steps of this run.",
    "de": "Das sind nicht alle: Das ganze Ergebnis steht in den Schritten dieses Laufs.",
    "es": "No son todos: el resultado completo est\u00e1 en los pasos de esta ejecuci\u00f3n.",
    "fr": "Il y en a d'autres\u00a0: le r\u00e9sultat complet se trouve dans les \u00e9tapes de cette ex\u00e9cution.",
}
_RELATED = 3
"""Most related facts beside the requested value."""
_PARTNERS = {"low": "high", "lower": "upper", "minimum": "maximum", "start": "end", "latitude": "longitude"}
"""Fields that say little without each other."""
_NAMELESS = ("value", "result", "answer")
"""Field names that say nothing about their value."""
_NAMED = 5
"""Most words of a message that names a field of an earlier result."""
_NAMING = stems("and what about is how the its s in of please")
"""Words of such a message beside the name."""
_MAIN_FIELDS = ("title", "text", "name", "path", "key", "url", "value")
"""Fields that identify a saved record, best first."""
_READING = ("_read", "_show", "_get", "_info")
_WORDS = re.compile(r"[\w:.-]{0,39}\w(?: [\w:-]{1,20}){0,3}")
"""Matches a text that a full stop may follow. Other texts are data, which somebody may copy."""
_LONG_DECIMAL = re.compile(r"-?\d{1,9}\.\d{11,60}")
_EXACT = re.compile(r"\b(?:digits?|decimals?|places?|precis\w*|exact\w*|accura\w*)\b", re.IGNORECASE)
_DIGITS = 10
"""Digits of a long decimal fraction, unless the request asks for more."""
_TIMES = {"created_at": "time of creation", "updated_at": "time of the last change"}
_AMOUNT = re.compile(r"-?\d[\d.,]{0,30} \S{1,12}|[-\d]{10} [\d:.]{1,20}(?: UTC)?")
_HOUSEKEEPING = frozenset(("id", "created_at", "updated_at"))
"""Fields of a saved record that its owner did not ask for."""


def render_result(attempt: ToolAttempt, request: str, wording: ReplyTemplates = NO_WORDING) -> str:
    """Format a tool result as Markdown; empty if the model has to write the reply.

    `request` is in English. `wording` are the sentences that the tool declares for its results.
    """
    request, decimals = split_decimals(request)
    result, args = read_result(attempt.result), read_result(attempt.arguments) or {}
    if _PROSE.search(request) and not attempt.tool.startswith(_SUMMARIES):
        return ""
    if result is None and wording.templates and (beginning := _beginning_of(attempt.result)):
        sentence = fill_template(wording.templates, beginning, args, language=wording.language)[1]
        return f"{sentence}\n\n{_REST[wording.language]}" if sentence else ""
    if result is None or len(attempt.result) > _LONGEST:
        return ""
    if decimals is not None:
        result = parse_rounded(attempt.result, decimals)
    if is_response(result):
        return failure_of(result) or _values(_fields(body_of(result, request)), request, args) or "Done."
    if sentence := _declared_sentence(wording, result, request, args):
        return sentence
    if {"id", "created_at"} <= result.keys() and not attempt.tool.endswith(_READING):
        return _record_line(attempt.tool, result, args)
    if confirmed := confirm(attempt.tool, result, args):
        return confirmed
    return _values(_fields(result), request, args) or ("Nothing was found." if result else "Done.")


def _declared_sentence(
    wording: ReplyTemplates, result: Mapping[str, Json], request: str, args: Mapping[str, Json]
) -> str:
    """Return the sentence that the tool declares for this result; empty if it lacks what the request asks for.

    A question that can be turned into a statement comes first: it uses the user's own words.
    """
    asked = stems(request)
    template, sentence = fill_template(
        wording.templates,
        result,
        args,
        language=wording.language,
        as_json="json" in asked,
        as_iso="iso" in asked,
    )
    if not sentence or wording.language != SOURCE:
        return sentence
    fields = _fields(result)
    words, paths = stems(template), placeholders(template)
    answering = answering_fields(fields, request, args) if fields else []
    answering = [name for name in answering if fits_inline(fields[name]) or label(name, None) in request.lower()]
    if not all(name in paths or stems(label(name, fields[name])) <= words for name in answering):
        return ""
    for name, value in fields.items():
        if isinstance(value, bool) and (judgement := restate_judgement(request, _noun(name, value), value)):
            return judgement
    is_made = any(_is_made(value) and args.get(name) != value for name, value in fields.items())
    stated = {name: value for name, value in fields.items() if name in paths}
    if not fields or is_made or not (answering or _has_one_number(stated, request, args)):
        return sentence
    return _restate(fields, request, args, counts_of(template)) or sentence


def _has_one_number(fields: Mapping[str, Json], request: str, args: Mapping[str, Json]) -> bool:
    """Return whether at most one number is new: of several, which one a computation asks for is not plain.

    "30 euros plus 21% VAT" has a tax and a gross price.
    """
    new = [name for name, value in fields.items() if args.get(name) != value and not is_given(value, request, args)]
    return sum(isinstance(fields[name], int | float) and not isinstance(fields[name], bool) for name in new) <= 1


def _beginning_of(result: str) -> dict[str, Json] | None:
    """Read a list that the server has shortened in the middle: the items before, and the fields behind the list.

    A small model would take the rest for nothing. Returns None if the result has another form.
    """
    match _LEFT_OUT.split(result):
        case [beginning, end]:
            items, fields = beginning.rpartition("},")[0], end.rpartition("],")[2]
            return read_result(f"{items}}}],{fields}")
    return None


def render_named_field(attempt: ToolAttempt, message: str) -> str:
    """Return the sentence with the field of an earlier result that a short question names, as in "And the median?".

    Returns an empty string for any other message.
    """
    result, asked = read_result(attempt.result) or {}, set(stems(message)) - _NAMING
    asks = message.rstrip().endswith("?") and not has_digits(message)
    if not (asks and asked) or len(message.split()) > _NAMED or is_response(result):
        return ""
    fields = {name: value for name, value in _fields(result).items() if fits_inline(value)}
    words = {name: stems(label(name, value)) for name, value in fields.items()}
    for is_named in (set.__eq__, set.__lt__, set.__gt__):
        if named := [name for name, label_words in words.items() if is_named(asked, label_words)]:
            return _sentence(named[0], fields[named[0]]) if len(named) == 1 else ""
    return ""


def headline_of(attempt: ToolAttempt, request: str) -> str:
    """Return the main value of a result with all its digits, for use in a later part."""
    result, args = read_result(attempt.result) or {}, read_result(attempt.arguments) or {}
    if not (fields := _fields(body_of(result, request) if is_response(result) else result, inline)):
        return attempt.result[:_LONGEST]
    name = (requested_fields(fields, request, args) or [main_field(fields, request, args)])[0]
    return value_with_unit(name, fields[name], inline).removesuffix(" %")


def _record_line(tool: str, result: Mapping[str, Json], args: Mapping[str, Json]) -> str:
    """Word the confirmation that a tool saved a record, with what it saved."""
    known = next((name for name in _MAIN_FIELDS if result.get(name)), "id")
    saved = {name: result[name] for name in args if name != known and result.get(name)}
    facts = [_sentence(name, value) for name, value in saved.items() if fits_inline(value)][:_RELATED]
    return _join_sentences([f"I saved the {tool.partition('_')[0]} \u201c{result[known]}\u201d.", *facts])


def _fields(result: Mapping[str, Json], write: Callable[[Json], str] = in_sentence) -> dict[str, Json]:
    fields = {name: value for name, value in with_units(result, write).items() if value not in (None, "", [], {})}
    if "id" not in fields:
        return fields
    return {name: value for name, value in fields.items() if name not in _HOUSEKEEPING} or fields


def _values(fields: Mapping[str, Json], request: str, args: Mapping[str, Json]) -> str:
    """Format the values that the request asks for, and what the tool made."""
    if not fields or all(name in COUNTS and not value for name, value in fields.items()):
        return ""
    created = [name for name, value in fields.items() if _is_made(value) and args.get(name) != value]
    if not created and (sentence := _restate(fields, request, args)):
        return sentence
    selected = list(dict.fromkeys((*_chosen_fields(fields, request, args), *created[:1])))
    reply = _join(selected, fields, as_json="json" in stems(request))
    first = fields[selected[0]]
    if isinstance(first, bool) and (answer := restate_judgement(request, _noun(selected[0], first), first)):
        return reply.replace(_sentence(selected[0], first), answer, 1)
    return reply


def _chosen_fields(fields: Mapping[str, Json], request: str, args: Mapping[str, Json]) -> list[str]:
    """Return the fields that the request asks for; if none is clear, the main one and another one."""
    main, answering = main_field(fields, request, args), answering_fields(fields, request, args)
    if _DESCRIBING.match(request):
        short = [name for name, value in fields.items() if fits_inline(value) and args.get(name) != value]
        return short[:_DESCRIBED] or [main]
    if answering and fields[main] is False and main not in answering:
        return [main, *answering]
    if answering:  # a "no" needs its reason
        is_no = any(fields[name] is False for name in answering)
        return [*answering, *(_next_field(fields, answering[0], [], request, args) if is_no else ())]
    if isinstance(fields[main], str) and (_is_made(fields[main]) or not fits_inline(fields[main])):
        return [main]
    return [main, *_next_field(fields, main, requested_fields(fields, request, args), request, args)]


def _restate(fields: Mapping[str, Json], request: str, args: Mapping[str, Json], counts: Container[str] = ()) -> str:
    """Return the question with its value as a sentence; empty if no single value plainly answers it.

    `counts` are the fields that count something.
    """
    answering = answering_fields(fields, request, args)
    if len(answering) > 1:
        return ""
    name = answering[0] if answering else main_field(fields, request, args)
    value = fields[name]
    formatted = group_thousands(value) if name in counts else value_with_unit(name, value, _writer(request))
    if isinstance(value, str) and "".join(value.split()) in "".join(request.split()):
        return ""  # a question that has the value asks for another
    if isinstance(value, str) and _LONG_DECIMAL.fullmatch(value) and not _EXACT.search(request):
        formatted = f"{float(value):.{_DIGITS}g}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number or (isinstance(value, str) and (_WORDS.fullmatch(formatted) or _AMOUNT.fullmatch(formatted)))):
        return ""
    return restate(request, _noun(name, value), formatted, names_all=bool(answering) or name in _NAMELESS)


def _writer(request: str) -> Callable[[Json], str]:
    """Return how to write a value: dates as in the result if ISO 8601 is asked for, else for people."""
    return inline if "iso" in stems(request) else in_sentence


def _is_made(value: Json) -> bool:
    """True for a file or a text of several lines, which the tool made for the user."""
    return isinstance(value, str) and (value.startswith("file_") or "\n" in value)


def _next_field(
    fields: Mapping[str, Json], main: str, answering: Sequence[str], request: str, args: Mapping[str, Json]
) -> list[str]:
    """Return another field that says something new: one that the request asks for, else the next one.

    If the main field has a generic name such as `value`, only lists and objects say more.
    """
    others = [name for name in (*answering, *fields) if name != main and not isinstance(fields[name], bool)]
    if main in _NAMELESS and not isinstance(fields[main], bool):
        others = [name for name in others if isinstance(fields[name], dict | list)]
    formatted = inline(fields[main]) if fits_inline(fields[main]) else None
    new = [one for one in others if args.get(one) != fields[one] and fits_inline(fields[one]) and one not in COUNTS]
    found = [one for one in new if inline(fields[one]) != formatted and not is_given(fields[one], request, args)][:1]
    return found + [other for one in found if (other := _PARTNERS.get(one)) in new]


def _join(names: Sequence[str], fields: Mapping[str, Json], *, as_json: bool) -> str:
    """Word each value in a sentence, and put long values in blocks below."""
    sentences = _join_sentences([_sentence(name, fields[name]) for name in names if fits_inline(fields[name])])
    blocks = [
        f"Here {'are' if _is_plural(noun) else 'is'} the {noun}:\n\n{block(fields[name], as_json)}"
        for name in names
        if not fits_inline(fields[name]) and (noun := _noun(name, fields[name]))
    ]
    return "\n\n".join([sentences, *blocks] if sentences else blocks)


def _join_sentences(sentences: Sequence[str]) -> str:
    """Join sentences with spaces. What follows data, which has no full stop, begins a line."""
    return "".join(one + (" " if one.endswith(".") else "\n") for one in sentences).rstrip()


def _sentence(name: str, value: Json) -> str:
    """Word a field of a result: "The rest is 5 kg.", "The number of days is 50.", "It is not valid."."""
    noun, formatted = _noun(name, value), value_with_unit(name, value)
    if isinstance(value, bool):
        return _judgement(noun, value)
    if isinstance(value, int | float) and " per " in noun:
        return f"That is {formatted} {noun}."
    if isinstance(value, int | float) and noun.endswith("percent"):
        return f"The {noun}age is {formatted}."
    if _is_plural(noun) and isinstance(value, int | float) and formatted == inline(value):
        return f"The number of {noun} is {formatted}."
    verb = "are" if _is_plural(noun) else "is"
    is_data = isinstance(value, str) and not (_WORDS.fullmatch(formatted) or _AMOUNT.fullmatch(formatted))
    return f"The {noun} {verb}: {formatted}" if is_data else f"The {noun} {verb} {formatted}."


def _judgement(noun: str, value: bool) -> str:
    for verb in ("is", "has", "can"):
        if noun.startswith(f"{verb} "):
            does_not = {"is": "is not", "has": "does not have", "can": "cannot"}[verb]
            return f"It {verb if value else does_not} {noun.removeprefix(verb).strip()}."
    if noun == "valid":
        return "It is valid." if value else "It is not valid."
    return f"Yes: {noun}." if value else f"No: not {noun}."


def _noun(name: str, value: Json) -> str:
    called = _TIMES.get(name, label(name, value).strip())
    return "result" if called in _NAMELESS or not called else called


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
