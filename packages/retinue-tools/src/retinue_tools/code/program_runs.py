"""Run whole programs in sandboxes: Python with its libraries, and shell commands."""

from typing import Annotated

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.programs import PROGRAM_FOLDER, PROGRAM_TEMPORARY
from retinue.sdk.workspace import ToolContext, run_on_disk_thread
from retinue_tools.code._programs import (
    BWRAP,
    Run,
    Seconds,
    Stdin,
    WorkFolder,
    libraries,
    limits,
    run_outcome,
    temporary,
    working,
)

Argument = Annotated[str, About("One argument of the command line", "--verbose", max_length=2000)]


@tool(
    tags="python run script execute program numpy pandas interpreter full cpython sandbox compute",
    use_when=(
        "Run this Python script with pandas over the CSV files in /data",
        "Execute main.py in my project folder with the argument 2026",
        "Use numpy to solve this and print the result",
        "Have Python write a report into /reports",
    ),
    tier="pro",
    credits=5,
    pace="long",
    read_only=False,
    destructive=True,
    idempotent=False,
    needs=BWRAP,
    examples=(
        Example(
            {"code": "import sys\nprint(sum(map(int, sys.stdin)))", "stdin": "3\n4\n"},
            {"ended_by": "itself", "exit_code": 0, "stdout": "7\n", "stderr": "", "created": []},
            source="3 + 4",
        ),
        Example(
            {
                "code": "import numpy as np\nprint(np.linalg.det(np.array([[1.0, 2.0], [3.0, 4.0]])).round(6))",
                "time_limit_s": 30,
            },
            {"exit_code": 0, "stdout": "-2.0\n"},
            source="by hand: 1 * 4 - 2 * 3",
        ),
        Example(
            {"script": "main.py", "folder": "/proof-python", "arguments": ["out.txt"]},
            {"exit_code": 0, "created": ["/proof-python/out.txt"], "changed": [], "deleted": []},
            source="by hand",
            before=(
                ExampleCall(
                    "file_write",
                    {
                        "path": "/proof-python/main.py",
                        "text": "import sys, lib\nopen(sys.argv[1], 'w').write(lib.NAME)\n",
                    },
                ),
                ExampleCall("file_write", {"path": "/proof-python/lib.py", "text": "NAME = 'Ada'\n"}),
                ExampleCall("file_write", {"path": "/proof-python/out.txt", "text": "old"}),
                ExampleCall("file_delete", {"path": "/proof-python/out.txt"}),
            ),
            then=(ExampleCall("file_read", {"path": "/proof-python/out.txt"}, {"text": "Ada"}),),
        ),
        Refusal({}, "either code or script"),
        Refusal({"script": "main.py"}, "folder"),
        Refusal({"script": "../main.py", "folder": "/proof-python"}, "within the folder"),
    ),
    reply={
        "stderr, exit_code": "The script ended with an error: {stderr}",
        "stdout": "The output: {stdout}",
        "created": "The script made {created}.",
        "changed": "The script changed {changed}.",
        "": "The script ran without output.",
    },
)
async def python_run_script(
    context: ToolContext,
    code: Annotated[str, About("Python source to run", "print(6 * 7)", max_length=200_000)] | None = None,
    script: Annotated[str, About("Path of a Python file within the folder, to run instead", "main.py", max_length=500)]
    | None = None,
    folder: WorkFolder | None = None,
    arguments: Annotated[list[Argument], About("Command line, as in sys.argv[1:]", ["--year", "2026"], max_items=50)]
    | None = None,
    stdin: Stdin = "",
    time_limit_s: Seconds = 20,
) -> Run:
    """Run Python, the whole language with numpy, pandas and other libraries, isolated from network and server.

    Use it where the small interpreter of python_run_snippet does not suffice. It starts in a copy of the folder, if one
    is specified, and its changes there are kept if it ends by itself. Returns its output, its exit status and its
    changes.
    """
    if (code is None) == (script is None):
        raise ToolError("Send either code or script, not both.")
    if script is not None and folder is None:
        raise ToolError("Specify the workspace folder that contains the script.")
    if script is not None and (script.startswith(("/", "-")) or ".." in script.split("/")):
        raise ToolError("script is a path within the folder, such as src/main.py.")
    async with working(context, folder) as (sandbox, copy):
        python = str(libraries(sandbox) / "bin" / "python")
        if code is not None:
            await run_on_disk_thread(temporary(sandbox, "script.py").write_text, code, errors="replace")
        started = f"{PROGRAM_TEMPORARY}/script.py" if script is None else script
        ended = await sandbox.run(
            [python, started, *(arguments or [])],
            stdin=stdin,
            environment={"PYTHONPATH": PROGRAM_FOLDER},
            limits=limits(time_limit_s),
        )
        return await run_outcome(ended, copy)


@tool(
    tags="shell run command bash sh terminal execute unix grep sed awk make script sandbox",
    use_when=(
        "Run `grep -rn main .` in my project folder",
        "Execute the shell script build.sh in /site",
        "Use sed to replace a word in all files of /docs",
        "What does this command print?",
    ),
    tier="pro",
    credits=5,
    pace="long",
    read_only=False,
    destructive=True,
    idempotent=False,
    needs=BWRAP,
    examples=(
        Example(
            {"command": "printf 'b\\na\\n' | sort; exit 3"},
            {"ended_by": "itself", "exit_code": 3, "stdout": "a\nb\n", "stderr": ""},
            source="POSIX: sort writes lines in order, exit sets the status",
        ),
        Example(
            {"command": "sed -i s/old/new/ a.txt && mv a.txt b.txt && wc -c < b.txt", "folder": "/proof-shell"},
            {"exit_code": 0, "created": ["/proof-shell/b.txt"], "deleted": ["/proof-shell/a.txt"]},
            source="by hand",
            before=(
                ExampleCall("file_write", {"path": "/proof-shell/a.txt", "text": "old\n"}),
                ExampleCall("file_write", {"path": "/proof-shell/b.txt", "text": "x"}),
                ExampleCall("file_delete", {"path": "/proof-shell/b.txt"}),
            ),
            then=(ExampleCall("file_read", {"path": "/proof-shell/b.txt"}, {"text": "new\n"}),),
        ),
        Example({"command": "sleep 30", "time_limit_s": 1}, {"ended_by": "time limit", "exit_code": None}, "by hand"),
        Refusal({"command": ""}, "at least 1 character"),
        Refusal({"command": "ls", "folder": "/a/../b"}, "no . or .."),
    ),
    reply={
        "stderr, exit_code": "The command failed with the exit code {exit_code}: {stderr}",
        "exit_code, stdout": "The command ended with the exit code {exit_code}: {stdout}",
        "exit_code": "The command failed with the exit code {exit_code}.",
        "stdout": "The output: {stdout}",
        "ended_by, created": "The command made {created}.",
        "changed": "The command changed {changed}.",
        "deleted": "The command deleted {deleted}.",
        "": "The command ran without output.",
    },
)
async def shell_run_command(
    context: ToolContext,
    command: Annotated[str, About("Command for /bin/sh", "ls -la && wc -l *.csv", min_length=1, max_length=30_000)],
    folder: WorkFolder | None = None,
    stdin: Stdin = "",
    time_limit_s: Seconds = 20,
) -> Run:
    """Run a shell command with the programs of the server's system, isolated from network and server.

    Use it for the usual commands on files of the workspace. It starts in a copy of the folder, if one is specified, and
    its changes there are kept if it ends by itself. Returns its output, its exit status and its changes.
    """
    async with working(context, folder) as (sandbox, copy):
        ended = await sandbox.run(["/bin/sh", "-c", command], stdin=stdin, limits=limits(time_limit_s))
        return await run_outcome(ended, copy)
