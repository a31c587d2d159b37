"""Linting, formatting and testing of Python in folders of the workspace, in bubbles."""

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, Refusal, ToolError, tool
from retinue.sdk.programs import PROGRAM_FOLDER, PROGRAM_TEMPORARY, Bubble, Ended, Limits, WorkingCopy
from retinue.sdk.workspace import Desk, ValidationFailed, run_on_disk_thread
from retinue_tools.code._programs import (
    BWRAP,
    Work,
    WorkFolder,
    libraries,
    read_output,
    run_outcome,
    temporary,
    work_of,
    working,
)

_MOST_FINDINGS = 500
_MOST_TESTS = 1_000
_REPORT_BYTES = 16 << 20
_MESSAGE_CHARACTERS = 2_000
_SECONDS = 30.0
_RULE = r"^(ALL|[A-Z]{1,5}[0-9]{0,4})$"

_REPORTER = """
import json

_file = open("/tmp/report.jsonl", "w")

def _tell(report, outcome):
    text = report.longreprtext[-2000:] if outcome != "passed" else ""
    seconds = getattr(report, "duration", 0.0)
    _file.write(json.dumps({"name": report.nodeid, "outcome": outcome, "seconds": seconds, "message": text}) + "\\n")
    _file.flush()

def pytest_runtest_logreport(report):
    if report.when == "call":
        _tell(report, report.outcome)
    elif report.outcome != "passed":
        _tell(report, "error" if report.outcome == "failed" else report.outcome)

def pytest_collectreport(report):
    if report.failed:
        _tell(report, "error")
"""
"""A plugin of pytest that writes one JSON object a line for each test that came to an end."""

Rule = Annotated[str, About("A rule of ruff, or a prefix of rules", "F401", pattern=_RULE, max_length=10)]
Outcome = Literal["passed", "failed", "error", "skipped"]


class FolderFinding(TypedDict):
    """What a rule found."""

    path: Annotated[str, About("The file, in the workspace")]
    line: Annotated[int, About("Line, from 1")]
    column: Annotated[int, About("Column, from 1")]
    rule: Annotated[str, About("Code of the rule, as in F401; invalid-syntax where the file is no Python")]
    message: Annotated[str, About("What is wrong")]
    fixable: Annotated[bool, About("Whether code_format_folder can mend it with fix")]


class FolderFindings(TypedDict):
    """What was found in a folder."""

    findings: Annotated[list[FolderFinding], About("By file and line, the first 500")]
    count: Annotated[int, About("How many there are")]
    files: Annotated[int, About("In how many files")]


class CaseEnd(TypedDict):
    """How a test ended."""

    name: Annotated[str, About("The test as pytest names it: file::function")]
    outcome: Annotated[Outcome, About("error: it could not be begun, cleaned up, or collected")]
    message: Annotated[str, About("The end of the failure's report")]


class SuiteRun(TypedDict):
    """How the tests of a folder ended."""

    ok: Annotated[bool, About("Whether all ran and none failed")]
    passed: Annotated[int, About("Tests that passed")]
    failed: Annotated[int, About("Tests that failed")]
    errors: Annotated[int, About("Tests and files that could not be begun")]
    skipped: Annotated[int, About("Tests that were skipped")]
    failures: Annotated[list[CaseEnd], About("Those that failed or had an error, the first 100")]
    ended_by: Annotated[
        Literal["itself", "time limit", "memory limit", "disk limit"], About("itself, or the limit that ended the run")
    ]
    output: Annotated[str, About("What pytest printed; of more than 64 KiB the beginning and the end")]
    duration_ms: Annotated[int, About("How long it ran")]


@tool(
    tags="python lint folder project ruff flake8 pyflakes check style bugs unused import repository",
    use_when=(
        "Lint all Python files in /project",
        "Which unused imports are in my project folder?",
        "Check the code in /app against the rules E, F and B",
    ),
    tier="pro",
    credits=2,
    pace="long",
    needs=BWRAP,
    examples=(
        Example(
            {"folder": "/proof-lint"},
            {
                "count": 1,
                "files": 1,
                "findings": [{"path": "/proof-lint/src/a.py", "line": 1, "rule": "F401", "fixable": True}],
            },
            source="the rule F401 of pyflakes: os is imported and never used",
            before=(
                Call("file_write", {"path": "/proof-lint/src/a.py", "text": "import os\n"}),
                Call("file_write", {"path": "/proof-lint/b.txt", "text": "import os\n"}),
            ),
        ),
        Example(
            {"folder": "/proof-lint-rules", "rules": ["B006"]},
            {"count": 1, "findings": [{"line": 1, "rule": "B006"}]},
            source="the rule B006 of flake8-bugbear: a mutable default",
            before=(Call("file_write", {"path": "/proof-lint-rules/a.py", "text": "def f(x=[]):\n    return x\n"}),),
        ),
        Refusal({"folder": "/proof-lint-none"}, "no files"),
        Refusal({"folder": "/x", "rules": ["--fix"]}, "must match the pattern"),
    ),
)
async def code_lint_folder(
    desk: Desk,
    folder: WorkFolder,
    rules: Annotated[
        list[Rule], About("Rules to check; by default those of the folder's own settings", ["E", "F"], max_items=50)
    ]
    | None = None,
) -> FolderFindings:
    """Check all Python files in a folder of the workspace with ruff, by the settings in its pyproject.toml if any.

    Use it for a project; python_lint_code checks a single text. Nothing is changed. Returns each finding with its file,
    line and rule.
    """
    async with working(desk, folder) as (bubble, copy):
        _with_files(copy, folder)
        select = [f"--select={','.join(rules)}"] if rules else []
        report = ["--output-format=json", "--output-file=/tmp/findings.json", "--exit-zero", "--no-cache", "--quiet"]
        ended = await _ruff(bubble, ["check", *report, *select, "."])
        findings = _json(read_output(bubble, "findings.json", _REPORT_BYTES))
        if not isinstance(findings, list):
            raise ToolError(f"ruff could not check the folder: {_reason(ended)}")
    told_of = sorted((_finding(finding, folder) for finding in findings), key=lambda one: (one["path"], one["line"]))
    files = len({finding["path"] for finding in told_of})
    return {"findings": told_of[:_MOST_FINDINGS], "count": len(told_of), "files": files}


@tool(
    tags="python format folder project ruff black isort pep8 fix autofix mend imports repository",
    use_when=(
        "Format all Python files in /project",
        "Remove the unused imports of my project",
        "Bring the code in /app into black style",
    ),
    tier="pro",
    credits=2,
    pace="long",
    read_only=False,
    destructive=True,
    needs=BWRAP,
    examples=(
        Example(
            {"folder": "/proof-format"},
            {"changed": ["/proof-format/a.py"], "created": [], "deleted": []},
            source="the style of black: double quotes, spaces around =",
            before=(
                Call("file_write", {"path": "/proof-format/a.py", "text": "import os\nx='a'\n"}),
                Call("file_write", {"path": "/proof-format/b.py", "text": "y = 1\n"}),
            ),
            then=(Call("file_read", {"path": "/proof-format/a.py"}, {"text": 'import os\n\nx = "a"\n'}),),
        ),
        Example(
            {"folder": "/proof-format-fix", "fix": True},
            {"changed": ["/proof-format-fix/a.py"]},
            source="the rule F401 of pyflakes: os is never used",
            before=(Call("file_write", {"path": "/proof-format-fix/a.py", "text": "import os\nx='a'\n"}),),
            then=(Call("file_read", {"path": "/proof-format-fix/a.py"}, {"text": 'x = "a"\n'}),),
        ),
        Refusal(
            {"folder": "/proof-format-broken"},
            "broken.py",
            before=(Call("file_write", {"path": "/proof-format-broken/broken.py", "text": "def f(:\n"}),),
        ),
    ),
)
async def code_format_folder(
    desk: Desk,
    folder: WorkFolder,
    fix: Annotated[bool, About("Mend first what the rules can mend without danger, unused imports for one")] = False,
) -> Work:
    """Format all Python files in a folder of the workspace with ruff, by the settings in its pyproject.toml if any.

    Use it for a project; python_format_code formats a single text. Returns which files were changed.
    """
    async with working(desk, folder) as (bubble, held):
        copy = _with_files(held, folder)
        if fix:
            await _ruff(bubble, ["check", "--fix-only", "--exit-zero", "--no-cache", "--quiet", "."])
        ended = await _ruff(bubble, ["format", "--no-cache", "."])
        if ended.exit_code:
            raise ToolError(f"ruff could not format the folder: {_reason(ended)}")
        return work_of(await copy.bring_back())


@tool(
    tags="python test tests pytest unittest run suite project folder verify pass fail coverage ci",
    use_when=(
        "Run the tests in /project",
        "Do the tests of my project pass?",
        "Which tests fail in /app/tests, and why?",
    ),
    tier="pro",
    credits=5,
    pace="long",
    needs=BWRAP,
    examples=(
        Example(
            {"folder": "/proof-tests"},
            {
                "ok": False,
                "passed": 2,
                "failed": 1,
                "errors": 0,
                "skipped": 0,
                "failures": [{"name": "tests/test_sums.py::test_wrong", "outcome": "failed"}],
                "ended_by": "itself",
            },
            source="by hand",
            before=(
                Call("file_write", {"path": "/proof-tests/src/sums.py", "text": "def add(a, b):\n    return a + b\n"}),
                Call(
                    "file_write",
                    {
                        "path": "/proof-tests/tests/test_sums.py",
                        "text": "import pytest\nfrom sums import add\n\n"
                        "@pytest.mark.parametrize('b', [1, 2])\ndef test_right(b):\n    assert add(1, b) == 1 + b\n\n"
                        "def test_wrong():\n    assert add(1, 2) == 4\n",
                    },
                ),
            ),
        ),
        Example(
            {"folder": "/proof-tests-some", "select": ["test_a.py::test_one"], "keyword": "one", "time_limit_s": 30},
            {"ok": True, "passed": 1, "failures": []},
            source="by hand",
            before=(
                Call(
                    "file_write",
                    {
                        "path": "/proof-tests-some/test_a.py",
                        "text": "def test_one():\n    pass\n\ndef test_two():\n    assert False\n",
                    },
                ),
            ),
        ),
        Refusal(
            {"folder": "/proof-tests-none"},
            "no tests",
            before=(Call("file_write", {"path": "/proof-tests-none/a.py", "text": "x = 1\n"}),),
        ),
    ),
)
async def pytest_run_folder(
    desk: Desk,
    folder: WorkFolder,
    select: Annotated[
        list[
            Annotated[
                str, About("A file, folder or test", "tests/test_a.py::test_one", pattern="^[^-]", max_length=500)
            ]
        ],
        About("What to run, by paths within the folder; all without it", ["tests"], max_items=50),
    ]
    | None = None,
    keyword: Annotated[str, About("Only tests whose names fit this expression", "add and not slow", max_length=500)]
    | None = None,
    time_limit_s: Annotated[int, About("Seconds after which the run is ended", 40, minimum=1, maximum=40)] = 40,
) -> SuiteRun:
    """Run the tests in a folder of the workspace with pytest, walled off from network and server.

    Use it to verify a project; unittest's tests are run as well. The folder and its src can be imported from. Nothing
    in the workspace is changed. Returns how many passed and failed, and each failure with its report.
    """
    async with working(desk, folder) as (bubble, copy):
        _with_files(copy, folder)
        await run_on_disk_thread(temporary(bubble, "retinue_reporter.py").write_text, _REPORTER)
        only = ["-k", keyword] if keyword else []
        plain = ("-q", "--color=no", "--tb=short", "-p", "retinue_reporter", "-p", "no:cacheprovider")
        ended = await bubble.run(
            [str(libraries(bubble) / "bin" / "python"), "-m", "pytest", *plain, *only, "--", *(select or [])],
            environment={"PYTHONPATH": f"{PROGRAM_TEMPORARY}:{PROGRAM_FOLDER}:{PROGRAM_FOLDER}/src"},
            limits=Limits(seconds=float(time_limit_s)),
        )
        run = await run_outcome(ended, None)
        ends = _ends(read_output(bubble, "report.jsonl", _REPORT_BYTES) or b"")
    if ended.exit_code == 5 and not ended.stopped:
        raise ToolError("pytest found no tests to run. Name test files test_*.py, and select or keyword what is there.")
    if ended.exit_code == 4 and not ends:
        raise ToolError(f"pytest could not begin: {_reason(ended)}")
    outcomes = [end["outcome"] for end in ends]
    return {
        "ok": run["exit_code"] == 0 and not {"failed", "error"} & set(outcomes),
        "passed": outcomes.count("passed"),
        "failed": outcomes.count("failed"),
        "errors": outcomes.count("error"),
        "skipped": outcomes.count("skipped"),
        "failures": [end for end in ends if end["outcome"] in ("failed", "error")][:100],
        "ended_by": run["ended_by"],
        "output": run["stdout"] + run["stderr"],
        "duration_ms": run["duration_ms"],
    }


def _with_files(copy: WorkingCopy | None, folder: str) -> WorkingCopy:
    if copy is None or not copy.held:
        raise ToolError(f"There are no files in {folder}. Write some there first, or name another folder.")
    return copy


async def _ruff(bubble: Bubble, arguments: list[str]) -> Ended:
    ended = await bubble.run([str(libraries(bubble) / "bin" / "ruff"), *arguments], limits=Limits(seconds=_SECONDS))
    if ended.stopped:
        raise ValidationFailed("ruff did not get through the folder in time. Name a smaller one.")
    return ended


def _reason(ended: Ended) -> str:
    """The line in which a program says what is wrong, without where it ran."""
    lines = (ended.stderr.text.strip() or ended.stdout.text.strip() or "it gave no reason").splitlines()
    telling = next((line for line in lines if line.lower().startswith("error")), lines[-1])
    return telling.replace(f"{PROGRAM_FOLDER}/", "")[:500]


def _json(content: bytes | None) -> Any:
    try:
        return orjson.loads(content or b"")
    except orjson.JSONDecodeError:
        return None


def _finding(found: dict[str, Any], folder: str) -> FolderFinding:
    place = found.get("location") or {}
    path = PurePosixPath(found.get("filename") or PROGRAM_FOLDER)
    within = path.relative_to(PROGRAM_FOLDER) if path.is_relative_to(PROGRAM_FOLDER) else path
    return {
        "path": str(PurePosixPath("/", folder.strip("/"), within)),
        "line": int(place.get("row") or 0),
        "column": int(place.get("column") or 0),
        "rule": str(found.get("code") or "invalid-syntax"),
        "message": str(found.get("message") or ""),
        "fixable": (found.get("fix") or {}).get("applicability") == "safe",
    }


def _ends(report: bytes) -> list[CaseEnd]:
    """What the reporter wrote; the tests may have written there too, so nothing of it is believed to have its shape."""
    ends: list[CaseEnd] = []
    for line in report.splitlines()[:_MOST_TESTS]:
        end = _json(line)
        if isinstance(end, dict) and end.get("outcome") in ("passed", "failed", "error", "skipped"):
            message = str(end.get("message", ""))[-_MESSAGE_CHARACTERS:]
            ends.append({"name": str(end.get("name", ""))[:500], "outcome": end["outcome"], "message": message})
    return ends
