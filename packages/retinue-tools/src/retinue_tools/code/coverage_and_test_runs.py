"""Summaries of test and coverage reports."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, json_object
from retinue_tools.data_formats._xml_trees import malformed_at

_MOST = 500


_MOST_TEXT = 2000

_GAPS_SHOWN = 200


class FileCoverage(TypedDict):
    """Coverage of a file."""

    path: Annotated[str, About("Path as in the report")]
    covered: Annotated[int, About("Executed lines")]
    lines: Annotated[int, About("Executable lines")]
    percent: Annotated[float, About("Share of executed lines")]
    missing: Annotated[str, About("Numbers of lines that were not executed, such as 3-5, 9")]


class CoverageSummary(TypedDict):
    """Coverage of a project."""

    format: Annotated[str, About("cobertura, lcov, coverage.py or istanbul")]
    percent: Annotated[float, About("Share of executed lines")]
    covered: Annotated[int, About("Executed lines")]
    lines: Annotated[int, About("Executable lines")]
    below: Annotated[int, About("Number of files below the threshold")]
    files: Annotated[list[FileCoverage], About("Least covered files first, at most 500")]


class TestFailure(TypedDict):
    """A test that did not pass."""

    name: Annotated[str, About("Name of the test, with its class")]
    kind: Annotated[str, About("failure or error")]
    message: Annotated[str, About("Beginning of the failure message")]


class SlowTest(TypedDict):
    """A slow test."""

    name: Annotated[str, About("Name of the test, with its class")]
    seconds: Annotated[float, About("Seconds")]


class TestSummary(TypedDict):
    """Results of tests."""

    tests: Annotated[int, About("Number of tests")]
    passed: Annotated[int, About("Passed")]
    failed: Annotated[int, About("Failed, excluding errors")]
    errors: Annotated[int, About("Ended in an error")]
    skipped: Annotated[int, About("Skipped")]
    seconds: Annotated[float, About("Total seconds of all tests")]
    failures: Annotated[list[TestFailure], About("Failures and errors, the first 500")]
    slowest: Annotated[list[SlowTest], About("The ten slowest")]


@tool(
    tags="coverage report cobertura lcov coverage.py istanbul percent missing lines tests",
    use_when=(
        "What is the coverage in this coverage.xml, and which files are worst?",
        "Summarise this lcov.info",
        "Which lines are not covered by tests?",
    ),
    examples=(
        Example(
            {"report": "SF:a.py\nDA:1,1\nDA:2,0\nDA:3,0\nDA:4,2\nend_of_record\nSF:b.py\nDA:1,1\nend_of_record\n"},
            {
                "format": "lcov",
                "percent": 60.0,
                "covered": 3,
                "lines": 5,
                "below": 1,
                "files": [
                    {"path": "a.py", "covered": 2, "percent": 50.0, "missing": "2-3"},
                    {"path": "b.py", "percent": 100.0, "missing": ""},
                ],
            },
            source="by hand, with the tracefile format of geninfo(1)",
        ),
        Example(
            {
                "report": '<coverage><packages><package><classes><class filename="m.py"><lines><line number="1" '
                'hits="1"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>',
                "threshold_percent": 40,
            },
            {"format": "cobertura", "percent": 50.0, "below": 0, "files": [{"path": "m.py", "missing": "2"}]},
            source="by hand, with the DTD of Cobertura",
        ),
        Example(
            {"report": '{"files": {"m.py": {"executed_lines": [1, 2], "missing_lines": [4]}}}'},
            {"format": "coverage.py", "percent": 66.7, "files": [{"path": "m.py", "missing": "4"}]},
            source="by hand, with the JSON report of coverage.py",
        ),
        Refusal({"report": "nothing"}, "not a coverage report"),
    ),
    reply={
        "files": "{percent} % of the lines are covered, {covered} of {lines}. The least covered files: {files}",
        "": "{percent} % of the lines are covered, {covered} of {lines}.",
    },
)
def coverage_summarize_report(
    report: Document,
    threshold_percent: Annotated[
        float, About("Files with a lower coverage count as below the threshold", minimum=0, maximum=100)
    ] = 80,
) -> CoverageSummary:
    """Summarise a coverage report: Cobertura XML, LCOV, or the JSON of coverage.py or Istanbul.

    Use it to find code that the tests do not cover. The format is detected. Returns the overall share of lines, and for
    each file its share and the missing lines, the least covered first.
    """
    kind, hits = _coverage(report)
    files = [_file_coverage(path, lines) for path, lines in hits.items() if lines]
    if not files:
        raise ToolError("This is not a coverage report with lines. Send Cobertura XML, LCOV, or JSON of coverage.py.")
    covered, lines = sum(one["covered"] for one in files), sum(one["lines"] for one in files)
    files.sort(key=lambda one: (one["percent"], one["path"]))
    return {
        "format": kind,
        "percent": round(100 * covered / lines, 1),
        "covered": covered,
        "lines": lines,
        "below": sum(one["percent"] < threshold_percent for one in files),
        "files": files[:_MOST],
    }


@tool(
    tags="junit test results xml pytest jest surefire failures report ci slow tests",
    use_when=(
        "Which tests failed in this junit.xml, and why?",
        "Summarise these test results",
        "Which are the slowest tests in this report?",
    ),
    examples=(
        Example(
            {
                "report": '<testsuites><testsuite name="s"><testcase classname="C" name="a" time="0.5"/>'
                '<testcase classname="C" name="b" time="1.25"><failure message="1 != 2">trace</failure></testcase>'
                '<testcase name="c"><skipped/></testcase><testcase name="d"><error message="boom"/></testcase>'
                "</testsuite></testsuites>"
            },
            {
                "tests": 4,
                "passed": 1,
                "failed": 1,
                "errors": 1,
                "skipped": 1,
                "seconds": 1.75,
                "failures": [
                    {"name": "C.b", "kind": "failure", "message": "1 != 2"},
                    {"name": "d", "kind": "error", "message": "boom"},
                ],
            },
            source="by hand",
        ),
        Refusal({"report": "<a/>"}, "no test case"),
    ),
    reply={
        "failures": "{passed} of {tests|test} passed; these did not: {failures}",
        "skipped": "{passed} of {tests|test} passed and {skipped} were skipped; none failed.",
        "tests": "All {tests|test} passed, in {seconds|second}.",
        "": "The report contains no tests.",
    },
)
def junit_summarize_report(report: Document) -> TestSummary:
    """Summarise test results in JUnit XML, as pytest, Jest, Maven, Gradle and others write them.

    Use it to find the failures of a build. Returns counts, the failures with their messages, and the slowest tests.
    """
    cases = list(_xml(report).iter("{*}testcase"))
    if not cases:
        raise ToolError("The report contains no test case. JUnit XML has <testcase> elements.")
    ends = {case: _test_end(case) for case in cases}
    counts = {kind: sum(end == kind for end in ends.values()) for kind in ("passed", "failure", "error", "skipped")}
    times: list[SlowTest] = [{"name": _test_name(case), "seconds": _seconds(case.get("time"))} for case in cases]
    failures = [_test_failure(case, end) for case, end in ends.items() if end in ("failure", "error")]
    return {
        "tests": len(cases),
        "passed": counts["passed"],
        "failed": counts["failure"],
        "errors": counts["error"],
        "skipped": counts["skipped"],
        "seconds": round(sum(one["seconds"] for one in times), 3),
        "failures": failures[:_MOST],
        "slowest": sorted(times, key=lambda one: -one["seconds"])[:10],
    }


Hits = dict[str, dict[int, bool]]
"""Lines of each file, and whether they were executed."""


def _xml(text: str) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ToolError(f"This is not XML.{malformed_at(error)}") from error


def _coverage(report: str) -> tuple[str, Hits]:
    start = report.lstrip()[:1]
    if start == "<":
        return "cobertura", _cobertura(_xml(report))
    if start == "{":
        document = json_object(report)
        files = document.get("files")
        if isinstance(files, dict):
            return "coverage.py", {path: _python_lines(part) for path, part in files.items()}
        return "istanbul", {path: _istanbul_lines(part) for path, part in document.items()}
    return "lcov", _lcov(report)


def _cobertura(root: Any) -> Hits:
    hits: Hits = {}
    for node in root.iter("class"):
        lines = hits.setdefault(node.get("filename") or node.get("name") or "", {})
        for line in node.iterfind("lines/line"):
            if (number := _whole(line.get("number"))) is not None:
                lines[number] = lines.get(number, False) or (_whole(line.get("hits")) or 0) > 0
    return hits


def _lcov(report: str) -> Hits:
    hits: Hits = {}
    lines: dict[int, bool] = {}
    for row in report.splitlines():
        if row.startswith("SF:"):
            lines = hits.setdefault(row[3:].strip(), {})
        elif found := re.match(r"DA:(\d{1,9}),(\d{1,18})", row):
            lines[int(found[1])] = lines.get(int(found[1]), False) or int(found[2]) > 0
    return hits


def _python_lines(part: Any) -> dict[int, bool]:
    ran, missed = (part.get(key) if isinstance(part, dict) else None for key in ("executed_lines", "missing_lines"))
    lines = {line: True for line in ran if isinstance(line, int)} if isinstance(ran, list) else {}
    return lines | ({line: False for line in missed if isinstance(line, int)} if isinstance(missed, list) else {})


def _istanbul_lines(part: Any) -> dict[int, bool]:
    """Mark a line as executed if a statement that begins on it was."""
    lines: dict[int, bool] = {}
    places, counts = (part.get(key) if isinstance(part, dict) else None for key in ("statementMap", "s"))
    if isinstance(places, dict) and isinstance(counts, dict):
        for key, place in places.items():
            line = place.get("start", {}).get("line") if isinstance(place, dict) else None
            if isinstance(line, int):
                lines[line] = lines.get(line, False) or bool(counts.get(key))
    return lines


def _file_coverage(path: str, lines: Mapping[int, bool]) -> FileCoverage:
    covered = sum(lines.values())
    missing = _ranges(sorted(line for line, ran in lines.items() if not ran))
    percent = round(100 * covered / len(lines), 1)
    return {"path": path, "covered": covered, "lines": len(lines), "percent": percent, "missing": missing}


def _ranges(numbers: list[int]) -> str:
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    return ", ".join("-".join(map(str, pair)) for pair in ranges[:_GAPS_SHOWN])


def _whole(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,18}", text) else None


def _seconds(text: str | None) -> float:
    return float(text) if text and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,12})?", text) else 0.0


def _test_name(case: Any) -> str:
    return ".".join(filter(None, (case.get("classname"), case.get("name") or "unnamed")))


def _test_end(case: Any) -> str:
    found = (etree.QName(child).localname for child in case if isinstance(child.tag, str))
    return next((name for name in found if name in ("failure", "error", "skipped")), "passed")


def _test_failure(case: Any, kind: str) -> TestFailure:
    node = case.find(f"{{*}}{kind}")
    message = node.get("message") or (node.text or "").strip()
    return {"name": _test_name(case), "kind": kind, "message": message[:_MOST_TEXT]}
