"""System programs that tests need. The tests of a missing program are skipped, and the report says so."""

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from retinue.sandbox import system_requirements
from retinue.sandbox.sandboxes import Sandboxes

MARKER = "needs_program"
MUST_RUN = "RETINUE_TESTS_MUST_RUN"
"""An environment variable. If it is set, a skipped test fails the session."""

_PACKAGES = {
    **system_requirements.PACKAGES,
    "chromium": "chromium-headless-shell",
    "curl": "curl",
    "node": "nodejs",
    "sipp": "sip-tester",
    "tsc": "node-typescript",
}
_REASON = "not run: "


def stop_without_programs(item: pytest.Item) -> None:
    """Skip a test if a program in its `needs_program` markers is missing or does not work."""
    names = [name for marker in item.iter_markers(MARKER) for name in marker.args]
    if reason := _missing(tuple(dict.fromkeys(names))):
        pytest.skip(_REASON + reason)


def chromium() -> str | None:
    """Return the path of Chromium: the build without windows, which takes half the processor time, or the usual one."""
    return system_requirements.find_program("chromium-headless-shell") or system_requirements.find_program("chromium")


def not_run(reports: Iterable[pytest.TestReport | pytest.CollectReport]) -> dict[str, list[str]]:
    """Return the names of the skipped tests, by reason."""
    found: dict[str, list[str]] = defaultdict(list)
    for report in reports:
        where = report.longrepr
        told = where[2] if isinstance(where, tuple) else str(where)
        found[told.removeprefix("Skipped: ").removeprefix(_REASON)].append(report.nodeid)
    return dict(found)


@cache
def _missing(names: Sequence[str]) -> str:
    """Return the missing programs with the command to install them, or an empty text."""
    absent = [
        name for name in names if (chromium() if name == "chromium" else system_requirements.find_program(name)) is None
    ]
    if absent:
        packages = " ".join(sorted({_PACKAGES[name] for name in absent}))
        return f"{' and '.join(absent)} not found (apt-get install {packages})"
    return _bubblewrap_fault() if "bwrap" in names else ""


@cache
def _bubblewrap_fault() -> str:
    """Return why bubblewrap does not work here, or an empty text.

    Tried once per process, outside the test's event loop.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _try_bubblewrap()).result()


async def _try_bubblewrap() -> str:
    with tempfile.TemporaryDirectory() as folder:
        sandboxes = Sandboxes(1, Path(folder) / "bubbles", lambda: None)
        await sandboxes.start()
        return await sandboxes.missing(["bwrap"])
