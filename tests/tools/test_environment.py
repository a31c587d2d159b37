"""The environment of the tools' libraries."""

import asyncio
import re
import subprocess
from pathlib import Path

import pytest

from retinue.core.packages import NotInstalled
from retinue.tools import environment
from retinue.tools.environment import ToolEnvironment


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolEnvironment:
    """An environment of one package, pinned as the real ones are."""
    lines = environment.REQUIREMENTS.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("six=="))
    last = next(number for number, line in enumerate(lines[first + 1 :], first + 1) if "==" in line)
    (tmp_path / "small.txt").write_text("\n".join(lines[first:last]) + "\n")
    monkeypatch.setattr(environment, "REQUIREMENTS", tmp_path / "small.txt")
    return ToolEnvironment(tmp_path / "environment")


def has_six(made: ToolEnvironment) -> bool:
    return subprocess.run([str(made.python), "-c", "import six"], check=False, capture_output=True).returncode == 0


async def test_it_is_ready_when_everything_is_there(small: ToolEnvironment) -> None:
    assert (small.ready, small.status) == (False, "installing")
    await asyncio.gather(small.install(), ToolEnvironment(small.folder).install())
    assert (small.ready, small.status) == (True, "ready")
    assert has_six(small)


async def test_one_left_half_made_is_made_anew(small: ToolEnvironment) -> None:
    await small.install()
    (small.folder / "installed").unlink()
    (small.folder / "left").write_text("from an installation that was killed")
    assert small.status == "installing"
    await small.install()
    assert small.status == "ready"
    assert not (small.folder / "left").exists()


async def test_other_pins_want_another_environment(small: ToolEnvironment) -> None:
    await small.install()
    environment.REQUIREMENTS.write_text(environment.REQUIREMENTS.read_text() + "# changed\n")
    assert not small.ready


async def test_what_does_not_fit_its_hash_is_not_installed(small: ToolEnvironment) -> None:
    wrong = re.sub("[0-9a-f]{64}", "0" * 64, environment.REQUIREMENTS.read_text())
    environment.REQUIREMENTS.write_text(wrong)
    with pytest.raises(NotInstalled):
        await small.install()
    assert not small.ready
