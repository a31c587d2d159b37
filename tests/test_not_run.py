"""Tests whose programs are missing: the report lists them with the command to install the programs.

They fail the session if all tests must run.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import MUST_RUN

ROOT = Path(__file__).parents[1]
NEEDY = "tests/sandbox/test_system_requirements.py::test_a_repair_is_noticed"


@pytest.mark.parametrize(("workers", "must", "status"), [([], "", 0), (["-n", "1"], "1", 2)], ids=["may", "must"])
def test_a_test_without_its_program_is_not_run(tmp_path: Path, workers: list[str], must: str, status: int) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", MUST_RUN))}
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers, NEEDY],
        env={**kept, "PATH": str(tmp_path), MUST_RUN: must},
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ended.returncode == status, ended.stdout
    told = ended.stdout.partition("not run =")[2]
    assert "1 tests: bwrap not found (apt-get install bubblewrap)" in told
    assert NEEDY in told
