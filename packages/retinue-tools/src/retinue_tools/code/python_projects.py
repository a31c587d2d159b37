"""Lint, format and test Python in folders of the workspace, in sandboxes."""

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.programs import PROGRAM_FOLDER, PROGRAM_TEMPORARY, ProgramResult, ResourceLimits, Sandbox, WorkingCopy
from retinue.sdk.workspace import ToolContext, ValidationFailed, run_on_disk_thread
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
"""A pytest plugin that writes one JSON object per line for each finished test."""

Rule = Annotated[str, About("Rule of ruff, or a prefix of rules", "F401", pattern=_RULE, max_length=10)]
Outcome = Literal["passed", "failed", "error", "skipped"]


class FolderFinding(TypedDict):
    """A finding of a rule."""

    path: Annotated[str, About("File in the workspace")]
    line: Annotated[int, About("Line, from 1")]
    column: Annotated[int, About("Column, from 1")]
    rule: Annotated[str, About("Code of the rule, such as F401; invalid-syntax if the file is not valid Python")]
    message: Annotated[str, About("Description of the problem")]
    fixable: Annotated[bool, About("Whether code_format_folder can fix it with fix")]


class FolderFindings(TypedDict):
    """Findings in a folder."""

    findings: Annotated[list[FolderFinding], About("By file and line, the first 500")]
    count: Annotated[int, About("Total number of findings")]
    files: Annotated[int, About("Number of files with findings")]


class CaseEnd(TypedDict):
    """Outcome of a test."""

    name: Annotated[str, About("Node ID of the test in pytest: file::function")]
    outcome: Annotated[Outcome, About("error: setup, teardown or collection failed")]
    message: Annotated[str, About("End of the failure report")]


class SuiteRun(TypedDict):
    """Outcome of the tests of a folder."""

    ok: Annotated[bool, About("Whether all tests ran and none failed")]
    passed: Annotated[int, About("Passed tests")]
    failed: Annotated[int, About("Failed tests")]
    errors: Annotated[int, About("Tests and files with errors")]
    skipped: Annotated[int, About("Skipped tests")]
    failures: Annotated[list[CaseEnd], About("Failures and errors, the first 100")]
    ended_by: Annotated[
        Literal["itself", "time limit", "memory limit", "disk limit"],
        About("itself, or the limit that stopped the run"),
    ]
    output: Annotated[str, About("Output of pytest; only the beginning and the end if it exceeds 64 KiB")]
    duration_ms: Annotated[int, About("Run time of the program")]


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
                ExampleCall("file_write", {"path": "/proof-lint/src/a.py", "text": "import os\n"}),
                ExampleCall("file_write", {"path": "/proof-lint/b.txt", "text": "import os\n"}),
            ),
        ),
        Example(
            {"folder": "/proof-lint-rules", "rules": ["B006"]},
            {"count": 1, "findings": [{"line": 1, "rule": "B006"}]},
            source="the rule B006 of flake8-bugbear: a mutable default",
            before=(
                ExampleCall("file_write", {"path": "/proof-lint-rules/a.py", "text": "def f(x=[]):\n    return x\n"}),
            ),
        ),
        Refusal({"folder": "/proof-lint-none"}, "no files"),
        Refusal({"folder": "/x", "rules": ["--fix"]}, "must match the pattern"),
    ),
    reply={
        "findings": "I found {count|problem} in {files|file}: {findings}",
        "": "There is nothing to complain about in this folder.",
    },
)
async def code_lint_folder(
    context: ToolContext,
    folder: WorkFolder,
    rules: Annotated[
        list[Rule], About("Rules to check; default: those of the folder's settings", ["E", "F"], max_items=50)
    ]
    | None = None,
) -> FolderFindings:
    """Check all Python files in a folder of the workspace with ruff, with the settings of its pyproject.toml if any.

    Use it for a project; python_lint_code checks a single text. Nothing is changed. Returns each finding with its file,
    line and rule.
    """
    async with working(context, folder) as (sandbox, copy):
        _with_files(copy, folder)
        select = [f"--select={','.join(rules)}"] if rules else []
        report = ["--output-format=json", "--output-file=/tmp/findings.json", "--exit-zero", "--no-cache", "--quiet"]
        ended = await _ruff(sandbox, ["check", *report, *select, "."])
        findings = _json(read_output(sandbox, "findings.json", _REPORT_BYTES))
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
                ExampleCall("file_write", {"path": "/proof-format/a.py", "text": "import os\nx='a'\n"}),
                ExampleCall("file_write", {"path": "/proof-format/b.py", "text": "y = 1\n"}),
            ),
            then=(ExampleCall("file_read", {"path": "/proof-format/a.py"}, {"text": 'import os\n\nx = "a"\n'}),),
        ),
        Example(
            {"folder": "/proof-format-fix", "fix": True},
            {"changed": ["/proof-format-fix/a.py"]},
            source="the rule F401 of pyflakes: os is never used",
            before=(ExampleCall("file_write", {"path": "/proof-format-fix/a.py", "text": "import os\nx='a'\n"}),),
            then=(ExampleCall("file_read", {"path": "/proof-format-fix/a.py"}, {"text": 'x = "a"\n'}),),
        ),
        Refusal(
            {"folder": "/proof-format-broken"},
            "broken.py",
            before=(ExampleCall("file_write", {"path": "/proof-format-broken/broken.py", "text": "def f(:\n"}),),
        ),
    ),
    reply={
        "changed": "I formatted {changed}.",
        "changed, changed": "The formatted files: {changed}",
        "": "Nothing had to be formatted.",
    },
)
async def code_format_folder(
    context: ToolContext,
    folder: WorkFolder,
    fix: Annotated[bool, About("First apply the safe fixes of the rules, such as removing unused imports")] = False,
) -> Work:
    """Format all Python files in a folder of the workspace with ruff, with the settings of its pyproject.toml if any.

    Use it for a project; python_format_code formats a single text. Returns the changed files.
    """
    async with working(context, folder) as (sandbox, workspace):
        copy = _with_files(workspace, folder)
        if fix:
            await _ruff(sandbox, ["check", "--fix-only", "--exit-zero", "--no-cache", "--quiet", "."])
        ended = await _ruff(sandbox, ["format", "--no-cache", "."])
        if ended.exit_code:
            raise ToolError(f"ruff could not format the folder: {_reason(ended)}")
        return work_of(await copy.store_changes())


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
                ExampleCall(
                    "file_write", {"path": "/proof-tests/src/sums.py", "text": "def add(a, b):\n    return a + b\n"}
                ),
                ExampleCall(
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
                ExampleCall(
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
            before=(ExampleCall("file_write", {"path": "/proof-tests-none/a.py", "text": "x = 1\n"}),),
        ),
    ),
    reply={
        "failures": "{passed} passed and {failed} failed, with {errors|error}: {failures}",
        "ok": "{passed|test} passed, and none failed.",
        "output": "The tests did not run to their end: {output}",
        "": "The tests did not run to their end.",
    },
)
async def pytest_run_folder(
    context: ToolContext,
    folder: WorkFolder,
    select: Annotated[
        list[
            Annotated[str, About("File, folder or test", "tests/test_a.py::test_one", pattern="^[^-]", max_length=500)]
        ],
        About("Tests to run, by paths within the folder; default: all", ["tests"], max_items=50),
    ]
    | None = None,
    keyword: Annotated[str, About("Only tests whose names match this expression", "add and not slow", max_length=500)]
    | None = None,
    time_limit_s: Annotated[int, About("Seconds after which the run is stopped", 40, minimum=1, maximum=40)] = 40,
) -> SuiteRun:
    """Run the tests in a folder of the workspace with pytest, isolated from network and server.

    Use it to verify a project; unittest tests run as well. Modules in the folder and its src can be imported. Nothing
    in the workspace is changed. Returns how many passed and failed, and each failure with its report.
    """
    async with working(context, folder) as (sandbox, copy):
        _with_files(copy, folder)
        await run_on_disk_thread(temporary(sandbox, "retinue_reporter.py").write_text, _REPORTER)
        only = ["-k", keyword] if keyword else []
        plain = ("-q", "--color=no", "--tb=short", "-p", "retinue_reporter", "-p", "no:cacheprovider")
        ended = await sandbox.run(
            [str(libraries(sandbox) / "bin" / "python"), "-m", "pytest", *plain, *only, "--", *(select or [])],
            environment={"PYTHONPATH": f"{PROGRAM_TEMPORARY}:{PROGRAM_FOLDER}:{PROGRAM_FOLDER}/src"},
            limits=ResourceLimits(seconds=float(time_limit_s)),
        )
        run = await run_outcome(ended, None)
        ends = _ends(read_output(sandbox, "report.jsonl", _REPORT_BYTES) or b"")
    if ended.exit_code == 5 and not ended.stopped:
        raise ToolError("pytest found no tests to run. Name test files test_*.py, or change select or keyword.")
    if ended.exit_code == 4 and not ends:
        raise ToolError(f"pytest could not start: {_reason(ended)}")
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
        raise ToolError(f"There are no files in {folder}. Write files to it first, or specify another folder.")
    return copy


async def _ruff(sandbox: Sandbox, arguments: list[str]) -> ProgramResult:
    ended = await sandbox.run(
        [str(libraries(sandbox) / "bin" / "ruff"), *arguments], limits=ResourceLimits(seconds=_SECONDS)
    )
    if ended.stopped:
        raise ValidationFailed("ruff did not finish in time. Specify a smaller folder.")
    return ended


def _reason(ended: ProgramResult) -> str:
    """Return the line in which a program explains the problem, without paths of the sandbox."""
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
    """Parse the report. Tests may have written to it too, so its structure is not trusted."""
    ends: list[CaseEnd] = []
    for line in report.splitlines()[:_MOST_TESTS]:
        end = _json(line)
        if isinstance(end, dict) and end.get("outcome") in ("passed", "failed", "error", "skipped"):
            message = str(end.get("message", ""))[-_MESSAGE_CHARACTERS:]
            ends.append({"name": str(end.get("name", ""))[:500], "outcome": end["outcome"], "message": message})
    return ends
