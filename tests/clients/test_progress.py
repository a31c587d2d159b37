"""Progress of long work: lines where nobody watches, a bar on a terminal."""

import os
import pty
import subprocess
import sys

import pytest

from retinue.cli.progress import showing
from tests.clients.test_commands import Terminal

_WORK = """
from retinue.cli.progress import showing
with showing("Fetching") as show:
    show(40, 80, "40 MB")
    input()
"""


def test_progress_without_a_terminal_is_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with showing("Fetching") as show:
        for done in range(101):
            show(done, 100, f"{done} MB")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"Fetching: {percent} % {percent} MB" for percent in range(10, 101, 10)]


def test_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with showing("Fetching") as show:
        show(0, 0, "")
    assert capsys.readouterr().err == ""


def test_progress_in_a_terminal_is_a_bar() -> None:
    master, slave = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        [sys.executable, "-c", _WORK], env=variables, stdin=slave, stdout=subprocess.DEVNULL, stderr=slave
    ) as process:
        os.close(slave)
        terminal = Terminal(master)
        terminal.wait_for("Fetching")
        terminal.wait_for("40 MB")
        os.write(master, b"\n")
        assert process.wait(120) == 0
    os.close(master)
