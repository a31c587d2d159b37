"""Find secrets and duplicated blocks in source files, and summarise static analysis reports (SARIF)."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, Files, SourceFile, json_list, json_object, json_part

_MOST = 500


_MOST_TEXT = 2000


_MOST_LINE = 2**31


_LEVELS = ("error", "warning", "note", "none")


class Issue(TypedDict):
    """A finding of an analysis."""

    rule: Annotated[str, About("ID of the rule")]
    level: Annotated[str, About("error, warning, note or none")]
    path: Annotated[str | None, About("Path of the file")]
    line: Annotated[int | None, About("Line, from 1")]
    message: Annotated[str, About("Message of the finding")]


class SarifSummary(TypedDict):
    """Findings of a SARIF file."""

    tools: Annotated[list[str], About("Reporting programs with their versions")]
    count: Annotated[int, About("Number of findings")]
    by_level: Annotated[dict[str, int], About("Findings by level")]
    by_rule: Annotated[dict[str, int], About("Findings by rule, most frequent first")]
    findings: Annotated[list[Issue], About("Most severe findings first, at most 500")]


@tool(
    tags="sarif static analysis findings codeql semgrep eslint results security summary",
    use_when=(
        "Summarise the findings of this SARIF file",
        "Which rules fire most often in this CodeQL result?",
        "List the errors in this SARIF report by file and line",
    ),
    examples=(
        Example(
            {
                "report": '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T", "rules": [{"id": "R2", '
                '"defaultConfiguration": {"level": "error"}}]}}, "results": [{"ruleId": "R1", "message": {"text": "m"},'
                '"locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.c"}, "region": '
                '{"startLine": 3}}}]},'
                '{"ruleId": "R2", "message": {"text": "n"}}]}]}'
            },
            {
                "tools": ["T"],
                "count": 2,
                "by_level": {"error": 1, "warning": 1},
                "findings": [
                    {"rule": "R2", "level": "error", "path": None},
                    {"rule": "R1", "level": "warning", "path": "a.c", "line": 3, "message": "m"},
                ],
            },
            source="SARIF 2.1.0, section 3.27.10: the level is that of the rule, else warning",
        ),
        Example(
            {
                "report": '{"runs": [{"tool": {"driver": {"name": "T"}}, "results": [{"ruleId": "a", "level": "note", '
                '"message": {"text": "x"}}]}]}',
                "min_level": "warning",
            },
            {"count": 0, "findings": []},
            source="by hand",
        ),
        Refusal({"report": "{}"}, "no runs"),
    ),
    reply={
        "findings": "I found {count|finding}: {findings}",
        "": "There are no findings.",
    },
)
def sarif_summarize_report(
    report: Document,
    min_level: Annotated[
        Literal["error", "warning", "note", "none"], About("Minimum level of returned findings")
    ] = "none",
) -> SarifSummary:
    """Summarise the findings of a SARIF 2.1.0 file of a static analysis.

    Use it for results of code scanners. Returns the programs, counts by level and rule, and each finding with place and
    message, the most severe first.
    """
    runs = json_object(report).get("runs")
    if not isinstance(runs, list):
        raise ToolError("The document has no runs. A SARIF file has a list of them.")
    found = [issue for run in runs if isinstance(run, dict) for issue in _issues(run)]
    issues = [issue for issue in found if _LEVELS.index(issue["level"]) <= _LEVELS.index(min_level)]
    issues.sort(key=lambda issue: _LEVELS.index(issue["level"]))
    rules = [issue["rule"] for issue in issues]
    levels = [issue["level"] for issue in issues]
    return {
        "tools": [_program(run) for run in runs if isinstance(run, dict)],
        "count": len(issues),
        "by_level": {level: levels.count(level) for level in _LEVELS if level in levels},
        "by_rule": {rule: rules.count(rule) for rule in sorted(set(rules), key=lambda one: (-rules.count(one), one))},
        "findings": issues[:_MOST],
    }


def _program(run: dict[str, Any]) -> str:
    driver = json_part(run, "tool", "driver")
    return " ".join(str(json_part(driver, key)) for key in ("name", "version") if json_part(driver, key))


def _issues(run: dict[str, Any]) -> Iterator[Issue]:
    rules = json_list(run, "tool", "driver", "rules")
    usual = {
        str(json_part(rule, "id")): json_part(rule, "defaultConfiguration", "level")
        for rule in rules
        if isinstance(rule, dict)
    }
    for result in json_list(run, "results"):
        place = json_part(result, "locations", 0, "physicalLocation")
        rule = json_part(result, "ruleId") or json_part(result, "rule", "id") or "unknown"
        level = json_part(result, "level") or usual.get(str(rule))
        line, path = json_part(place, "region", "startLine"), json_part(place, "artifactLocation", "uri")
        yield {
            "rule": str(rule),
            "level": level if level in _LEVELS else "warning",
            "path": path if isinstance(path, str) else None,
            "line": line if isinstance(line, int) and 0 < line < _MOST_LINE else None,
            "message": str(json_part(result, "message", "text") or "")[:_MOST_TEXT],
        }


_PATTERNS: Mapping[str, tuple[str, str]] = {
    "private key": ("high", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"),
    "AWS access key": ("high", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "GitHub token": ("high", r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{60,}\b"),
    "GitLab token": ("high", r"\bglpat-[A-Za-z0-9_-]{20,}\b"),
    "Slack token": ("high", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    "Stripe key": ("high", r"\b[rs]k_live_[A-Za-z0-9]{16,}\b"),
    "Google API key": ("high", r"\bAIza[0-9A-Za-z_-]{35}\b"),
    "OpenAI key": ("high", r"\bsk-(?:proj-)?[A-Za-z0-9_-]{32,}\b"),
    "npm token": ("high", r"\bnpm_[A-Za-z0-9]{36}\b"),
    "JSON web token": ("medium", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    "password in URL": ("high", r"\b[a-z][a-z0-9+.-]*://[^/\s:@\"']{1,100}:[^/\s:@\"'${}<>]{3,100}@[\w.-]+"),
    "assigned secret": (
        "medium",
        r"(?i)\b[\w.-]*(?:password|passwd|secret|token|api_?key|access_?key|credential)[\w.-]*[\"']?\s*[:=]\s*"
        r"[\"'](?P<value>[^\"'\s]{8,200})[\"']",
    ),
}
_HARMLESS = re.compile(
    r"(?i)example|sample|dummy|placeholder|change.?me|your[_-]|xxx|\*\*\*|^\$?\{|<[^>]+>|^env[.(]|test$"
)
_RANDOM = re.compile(r"[\"'=:\s]([A-Za-z0-9+/_-]{24,200}={0,2})(?=[\"'\s]|$)")
_BITS = 4.3
"""Entropy per character above which a long word counts as random: hexadecimal reaches 4, words about 3.5."""


class Secret(TypedDict):
    """A possible secret."""

    path: Annotated[str, About("Path of the file")]
    line: Annotated[int, About("Line, from 1")]
    kind: Annotated[str, About("Kind of secret")]
    severity: Annotated[str, About("high, medium or low")]
    masked: Annotated[str, About("First characters, the rest masked")]
    entropy_bits: Annotated[float, About("Randomness in bits a character")]
    fingerprint: Annotated[str, About("First 16 digits of the SHA-256, to distinguish secrets")]


class Secrets(TypedDict):
    """Possible secrets."""

    findings: Annotated[list[Secret], About("In file order, the first 500")]
    high: Annotated[int, About("Findings of high severity")]
    clean: Annotated[bool, About("Whether nothing was found")]


class Place(TypedDict):
    """A block of lines."""

    path: Annotated[str, About("Path of the file")]
    start: Annotated[int, About("First line, from 1")]
    end: Annotated[int, About("Last line")]


class Duplicate(TypedDict):
    """A block that occurs in several places."""

    lines: Annotated[int, About("Lines that are not blank")]
    places: Annotated[list[Place], About("Locations of the block")]
    beginning: Annotated[str, About("First lines of the block")]


class Duplicates(TypedDict):
    """Blocks that occur in several places."""

    duplicates: Annotated[list[Duplicate], About("Longest blocks first, at most 500")]
    duplicated_percent: Annotated[float, About("Share of non-blank lines that are duplicated")]


@tool(
    tags="secrets scan api key password token leak credentials entropy gitleaks security",
    use_when=(
        "Are there passwords or API keys in this code?",
        "Scan these files for leaked secrets before I push",
        "Does this config contain credentials?",
        "Did somebody leave passwords or keys in the configuration?",
    ),
    examples=(
        Example(
            {
                "files": [
                    {"path": "a.py", "text": "x = 1\nkey = '" + "AKIA" + "IOSFODNN7EXAMPLE'\n"},
                    {"path": "b.env", "text": "DB=postgres://bob:" + "hunter22@db.local/x\n"},
                ]
            },
            {
                "high": 2,
                "clean": False,
                "findings": [
                    {"path": "a.py", "line": 2, "kind": "AWS access key", "masked": "AKIA…"},
                    {"path": "b.env", "line": 1, "kind": "password in URL", "severity": "high"},
                ],
            },
            source="the documentation of AWS uses this access key id as its example",
        ),
        Example(
            {
                "files": [{"path": "c.py", "text": "password = 'changeme'\ntoken = os.environ['TOKEN']\n"}],
                "entropy": False,
            },
            {"findings": [], "clean": True},
            source="by hand: a placeholder, and a value from the environment",
        ),
        Refusal({"files": []}, "item"),
    ),
    reply={
        "clean": "I found no secrets in the files.",
        "findings": "I found secrets, {high} of high severity: {findings}",
        "": "I found secrets in the files.",
    },
)
def secrets_scan_files(
    files: Files,
    entropy: Annotated[bool, About("Whether to report long random words, with low severity")] = True,
) -> Secrets:
    """Scan source files for API keys, tokens, private keys and passwords.

    Use it before code is published. It detects the formats of common keys, assignments to names such as password, and
    random words by their entropy; placeholders are ignored. Returns each with location, kind and severity, masked.
    """
    found = [secret for file in files for secret in _secrets(file, entropy)]
    high = sum(secret["severity"] == "high" for secret in found)
    return {"findings": found[:_MOST], "high": high, "clean": not found}


@tool(
    tags="duplicate code clone copy paste detect blocks dry refactor",
    use_when=(
        "Find duplicated code in these files",
        "Which blocks were copied and pasted?",
        "How much of my code is duplicated?",
    ),
    examples=(
        Example(
            {
                "files": [
                    {"path": "a", "text": "one()\ntwo()\nthree()\nfour()\n"},
                    {"path": "b", "text": "zero()\n  one()\n\n  two()\n  three()\nlast()\n"},
                ],
                "min_lines": 3,
            },
            {
                "duplicates": [
                    {
                        "lines": 3,
                        "places": [{"path": "a", "start": 1, "end": 3}, {"path": "b", "start": 2, "end": 5}],
                        "beginning": "one()\ntwo()\nthree()",
                    }
                ],
                "duplicated_percent": 66.7,
            },
            source="by hand: six of nine lines",
        ),
        Example(
            {"files": [{"path": "a", "text": "x\ny\n"}]},
            {"duplicates": [], "duplicated_percent": 0.0},
            source="by hand",
        ),
        Refusal({"files": [{"path": "a", "text": "x"}], "min_lines": 1}, "at least 3"),
    ),
    reply={
        "duplicates": "{duplicated_percent} % of the lines are duplicated: {duplicates}",
        "": "There are no duplicate blocks.",
    },
    pace="normal",
    memory_mb=1024,
)
def code_find_duplicates(
    files: Files,
    min_lines: Annotated[int, About("Minimum length of a block in non-blank lines", minimum=3, maximum=200)] = 6,
) -> Duplicates:
    """Find duplicate blocks of lines that occur more than once in or across files.

    Use it to find code to share. Indentation and blank lines do not count. Returns each block with all its locations,
    and the share of duplicated lines.
    """
    lines = [(file["path"], number, text) for file in files for number, text in _dense(file["text"])]
    windows: dict[str, list[int]] = {}
    for start in range(len(lines) - min_lines + 1):
        block = lines[start : start + min_lines]
        if block[0][0] == block[-1][0]:
            windows.setdefault("\n".join(row[2] for row in block), []).append(start)
    repeated = {start: starts for starts in windows.values() if len(starts) > 1 for start in starts}
    duplicates = _grow(lines, repeated, min_lines)
    covered = {start + step for start in repeated for step in range(min_lines)}
    duplicates.sort(key=lambda one: -one["lines"])
    share = round(100 * len(covered) / len(lines), 1) if lines else 0.0
    return {"duplicates": duplicates[:_MOST], "duplicated_percent": share}


def _secrets(file: SourceFile, entropy: bool) -> Iterator[Secret]:
    for number, line in enumerate(file["text"].splitlines(), 1):
        line = line[:5000]  # noqa: PLW2901  no secret lies further out
        known = False
        for kind, (severity, pattern) in _PATTERNS.items():
            for found in re.finditer(pattern, line):
                value = found.groupdict().get("value") or found[0]
                if kind == "assigned secret" and (known or _HARMLESS.search(value)):
                    continue
                known = True
                yield _secret(file["path"], number, kind, severity, value)
        if entropy and not known:
            for found in _RANDOM.finditer(line):
                if _bits(found[1]) >= _BITS and re.search(r"\d", found[1]) and re.search(r"[A-Za-z]", found[1]):
                    yield _secret(file["path"], number, "random word", "low", found[1])


def _secret(path: str, line: int, kind: str, severity: str, value: str) -> Secret:
    return {
        "path": path,
        "line": line,
        "kind": kind,
        "severity": severity,
        "masked": value[:4] + "…",
        "entropy_bits": round(_bits(value), 2),
        "fingerprint": hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:16],
    }


def _bits(text: str) -> float:
    """Return the Shannon entropy of the characters."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


def _dense(text: str) -> list[tuple[int, str]]:
    """Return the non-blank lines without indentation, with their numbers."""
    return [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


Line = tuple[str, int, str]


def _grow(lines: list[Line], repeated: Mapping[int, list[int]], size: int) -> list[Duplicate]:
    """Join repeated windows to the longest possible blocks."""
    duplicates: list[Duplicate] = []
    done: set[int] = set()
    for start in sorted(repeated):
        if start in done:
            continue
        starts = repeated[start]
        length = size
        while _agree(lines, starts, length):
            length += 1
        for first in starts:
            done.update(range(first, first + length - size + 1))
        places: list[Place] = [
            {"path": lines[first][0], "start": lines[first][1], "end": lines[first + length - 1][1]} for first in starts
        ]
        beginning = "\n".join(row[2][:200] for row in lines[start : start + min(length, 5)])
        duplicates.append({"lines": length, "places": places[:100], "beginning": beginning})
    return duplicates


def _agree(lines: list[Line], starts: list[int], length: int) -> bool:
    """Return whether the next line is the same everywhere, in the file of the block, and not the start of a block."""
    ends = [start + length for start in starts]
    if ends[-1] >= len(lines) or set(ends) & set(starts):
        return False
    return len({lines[end][2] for end in ends}) == 1 and all(
        lines[e][0] == lines[s][0] for e, s in zip(ends, starts, strict=True)
    )
