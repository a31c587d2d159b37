"""String literals of programming languages and shells, and tests of regular expressions."""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Language = Literal["json", "javascript", "python", "java", "c", "sql", "shell", "powershell", "regex", "csv"]

_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\", '"': '\\"'}
_LONG = {escape[1]: character for character, escape in _SHORT.items()} | {"a": "\a", "v": "\v", "e": "\x1b", "\n": ""}
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([0-7]{1,3})|(.))", re.DOTALL
)


class Escaped(TypedDict):
    """An escaped or unescaped text."""

    result: Annotated[str, About("Literal with quotation marks, or the unescaped text")]
    without_quotes: Annotated[str, About("The same without outer quotation marks")]


@tool(
    tags="escape unescape quote string literal shell bash sql json regex c java python javascript powershell csv",
    use_when=(
        "Escape O'Brien for an SQL string literal",
        "Escape this string for use in a bash command",
        "JSON-escape a text with quotation marks and line breaks",
        "Escape 1+1=2? (yes) for use inside a regex",
        "Turn this text into a Java string literal",
        "Unescape a JSON string with \\n and \\u00e9",
    ),
    examples=(
        Example(
            {"text": "O'Brien", "language": "sql"},
            {"result": "'O''Brien'", "without_quotes": "O''Brien"},
            source="ISO/IEC 9075: a quotation mark is doubled",
        ),
        Example(
            {"text": 'He said "hi" \\ bye\n', "language": "json"},
            {"result": '"He said \\"hi\\" \\\\ bye\\n"'},
            source="RFC 8259, section 7",
        ),
        Example({"text": "it's", "language": "shell"}, {"result": "'it'\"'\"'s'"}, source="Python, shlex.quote"),
        Example({"text": "1+1=2? (yes)", "language": "regex"}, {"result": r"1\+1=2\? \(yes\)"}, source="by hand"),
        Example(
            {"text": "\x01é", "language": "java"}, {"result": '"\\u0001é"'}, source="Java Language Specification, 3.3"
        ),
        Example(
            {"text": '"caf\\u00e9\\t\\ud83d\\ude00"', "language": "json", "direction": "unescape"},
            {"result": "café\t\U0001f600"},
            source="RFC 8259, section 7",
        ),
        Example(
            {"text": "'O''Brien'", "language": "sql", "direction": "unescape"}, {"result": "O'Brien"}, "ISO/IEC 9075"
        ),
        Refusal({"text": "'a", "language": "shell", "direction": "unescape"}, "quotation"),
    ),
    reply="The literal: {result}",
)
def string_escape_literal(
    text: Annotated[str, About("The text, or the literal to unescape", "O'Brien", max_length=200_000)],
    language: Annotated[Language, About("Target language; shell means bash and sh, sql means standard SQL")],
    direction: Annotated[
        Literal["escape", "unescape"], About("Escape to a literal, or unescape a literal to plain text")
    ] = "escape",
) -> Escaped:
    """Escape a text for a shell, SQL, JSON, a regular expression, CSV or a program, or unescape such a literal.

    Languages are C, Java, JavaScript and Python. Returns the literal with and without quotation marks. HTML and URLs
    have tools of their own.
    """
    result = (_ESCAPERS if direction == "escape" else _READERS)[language](text)
    quoted = direction == "escape" and len(result) > 1 and result[0] == result[-1] and result[0] in "\"'"
    bare = language not in ("shell", "regex") and quoted
    return {"result": result, "without_quotes": result[1:-1] if bare else result}


def _escaper(control: str) -> Callable[[str], str]:
    """Return a function that writes literals in double quotes. `control` is the format of control characters."""

    def escape(text: str) -> str:
        parts = (_SHORT.get(one) or (control.format(ord(one)) if one < " " or one == "\x7f" else one) for one in text)
        return f'"{"".join(parts)}"'

    return escape


def _csv(text: str) -> str:
    """Format a field of RFC 4180, quoted only if necessary."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if re.search('[",\r\n;]|^ | $', text) else text


def _regex(text: str) -> str:
    return re.sub(r"[\\^$.|?*+()\[\]{}/]", lambda found: "\\" + found[0], text)


_ESCAPERS: Mapping[Language, Callable[[str], str]] = {
    "json": lambda text: json.dumps(text, ensure_ascii=False),
    "javascript": _escaper("\\x{:02x}"),
    "python": _escaper("\\x{:02x}"),
    "java": _escaper("\\u{:04x}"),
    # Octal escapes end after three digits; hexadecimal escapes of C consume all digits that follow.
    "c": _escaper("\\{:03o}"),
    "sql": lambda text: "'" + text.replace("'", "''") + "'",
    "shell": shlex.quote,
    "powershell": lambda text: "'" + text.replace("'", "''") + "'",
    "regex": _regex,
    "csv": _csv,
}


def _bare(text: str, marks: str) -> str:
    """Remove the quotation marks around a literal."""
    plain = text.strip()
    return plain[1:-1] if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in marks else text


def _character(found: re.Match[str]) -> str:
    """Return the character of an escape; unknown escapes stay as they are."""
    point = next((digits for digits in found.groups()[:4] if digits), None)
    if point or found[5]:
        number = int(point, 16) if point else int(found[5], 8)
        return chr(number) if number <= 0x10FFFF else found[0]
    return _LONG.get(found[6], found[6] if found[6] in "'/`?" else found[0])


def _read_escapes(text: str) -> str:
    read = _ESCAPE.sub(_character, _bare(text, "\"'`"))
    try:
        return read.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise ToolError("One half of a surrogate pair is missing. Give both \\u escapes of the character.") from error


def _read_shell(text: str) -> str:
    try:
        return " ".join(shlex.split(text))
    except ValueError as error:
        raise ToolError("A quotation mark is not closed. Give the whole shell word.") from error


_READERS: Mapping[Language, Callable[[str], str]] = {
    **dict.fromkeys(("json", "javascript", "python", "java", "c"), _read_escapes),
    "sql": lambda text: _bare(text, "'").replace("''", "'"),
    "shell": _read_shell,
    "powershell": lambda text: _bare(text, "'").replace("''", "'"),
    "regex": lambda text: re.sub(r"\\(\W)", r"\1", text),
    "csv": lambda text: _bare(text, '"').replace('""', '"'),
}

_SECONDS = 0.3
"""CPU time, which can be several times as long by the clock on a busy machine."""

Samples = Annotated[list[str], About("Sample strings", ["2026-01-31"], max_items=500)]


class Trial(TypedDict):
    """Result of testing a sample."""

    text: Annotated[str, About("The sample")]
    expected: Annotated[bool, About("Whether it was expected to match")]
    matched: Annotated[bool, About("Whether it matches")]
    found: Annotated[str | None, About("Matched part")]
    groups: Annotated[dict[str, str | None], About("Groups by name or number")]


class Trials(TypedDict):
    """Results of testing an expression."""

    passed: Annotated[bool, About("Whether all samples had the expected result")]
    failures: Annotated[int, About("Number of samples with an unexpected result")]
    trials: Annotated[list[Trial], About("Samples, positive ones first")]


@tool(
    tags="regex regular expression test cases positive negative samples match groups",
    use_when=(
        "Does my regex match these strings and reject those?",
        "Test this pattern against good and bad e-mail addresses",
        "Which of these samples does the expression get wrong?",
    ),
    examples=(
        Example(
            {"pattern": r"(?P<y>\d{4})-(\d{2})", "positive": ["2026-01"], "negative": ["26-01", "2026-013"]},
            {
                "passed": True,
                "failures": 0,
                "trials": [
                    {"text": "2026-01", "matched": True, "found": "2026-01", "groups": {"y": "2026", "2": "01"}},
                    {"text": "26-01", "matched": False, "found": None, "groups": {}},
                    {"text": "2026-013", "matched": False},
                ],
            },
            source="by hand",
        ),
        Example(
            {"pattern": "B", "positive": ["abc", "x"], "ignore_case": True, "whole": False},
            {"passed": False, "failures": 1, "trials": [{"found": "b"}, {"matched": False}]},
            source="by hand",
        ),
        Refusal({"pattern": "(", "positive": ["a"]}, "is not a regular expression"),
        Refusal({"pattern": "(a|a)*[bc]", "positive": ["a" * 60]}, "takes too long"),
        Refusal({"pattern": "a"}, "no sample"),
    ),
    reply={
        "passed": "The pattern passes: every sample has the expected result.",
        "": "{failures|sample} had an unexpected result: {trials}",
    },
)
def regex_test_samples(
    pattern: Annotated[str, About("Regular expression", r"\d{4}-\d{2}-\d{2}", min_length=1, max_length=2000)],
    positive: Samples | None = None,
    negative: Samples | None = None,
    whole: Annotated[bool, About("Whether the whole sample must match, or any part of it")] = True,
    ignore_case: Annotated[bool, About("Whether to ignore case")] = False,
) -> Trials:
    """Test a regular expression on strings that must match and strings that must not.

    Use it before an expression goes into a program. The syntax is that of Python, with the additions of the module
    regex. Returns for each sample whether the result was as expected, with the matched part and the groups.
    """
    samples = [(text, True) for text in positive or []] + [(text, False) for text in negative or []]
    if not samples:
        raise ToolError("There is no sample to test. Give positive or negative ones.")
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ToolError(f"{pattern} is not a regular expression: {error}.") from error
    trials = [_trial(compiled, text, expected, whole) for text, expected in samples]
    failures = sum(trial["matched"] != trial["expected"] for trial in trials)
    return {"passed": not failures, "failures": failures, "trials": trials}


def _trial(compiled: Any, text: str, expected: bool, whole: bool) -> Trial:
    try:
        found = (compiled.fullmatch if whole else compiled.search)(text, timeout=_SECONDS)
    except TimeoutError as error:
        raise ToolError(f"The expression takes too long on {text[:50]!r}: its backtracking is exponential.") from error
    if found is None:
        return {"text": text, "expected": expected, "matched": False, "found": None, "groups": {}}
    names = {number: name for name, number in compiled.groupindex.items()}
    groups = {names.get(number, str(number)): part for number, part in enumerate(found.groups(), 1)}
    return {"text": text, "expected": expected, "matched": True, "found": found[0], "groups": groups}
