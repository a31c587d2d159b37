"""Regular expressions tried out on samples."""

from typing import Annotated, Any

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SECONDS = 0.3
"""Of CPU time, which by the clock of a busy machine is several times that."""

Samples = Annotated[list[str], About("Sample strings", ["2026-01-31"], max_items=500)]


class Trial(TypedDict):
    """A sample held against an expression."""

    text: Annotated[str, About("The sample")]
    expected: Annotated[bool, About("Whether it was to match")]
    matched: Annotated[bool, About("Whether it matches")]
    found: Annotated[str | None, About("What of it matches")]
    groups: Annotated[dict[str, str | None], About("Groups by name or number")]


class Trials(TypedDict):
    """How an expression did."""

    passed: Annotated[bool, About("Whether all samples came out as expected")]
    failures: Annotated[int, About("How many did not")]
    trials: Annotated[list[Trial], About("The samples, positive ones first")]


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
)
def regex_test_samples(
    pattern: Annotated[str, About("Regular expression", r"\d{4}-\d{2}-\d{2}", min_length=1, max_length=2000)],
    positive: Samples | None = None,
    negative: Samples | None = None,
    whole: Annotated[bool, About("Whether the whole sample must match, or any part of it")] = True,
    ignore_case: Annotated[bool, About("Whether case does not matter")] = False,
) -> Trials:
    """Test a regular expression on strings that must match and strings that must not.

    Use it before an expression goes into a program. The syntax is that of Python, with the additions of the module
    regex. Returns for each sample whether it came out as expected, with what matched and the groups.
    """
    samples = [(text, True) for text in positive or []] + [(text, False) for text in negative or []]
    if not samples:
        raise ToolError("There is no sample to test on. Give positive or negative ones.")
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
        raise ToolError(f"The expression takes too long on {text[:50]!r}: it backtracks without end.") from error
    if found is None:
        return {"text": text, "expected": expected, "matched": False, "found": None, "groups": {}}
    names = {number: name for name, number in compiled.groupindex.items()}
    groups = {names.get(number, str(number)): part for number, part in enumerate(found.groups(), 1)}
    return {"text": text, "expected": expected, "matched": True, "found": found[0], "groups": groups}
