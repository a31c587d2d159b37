"""Package environments are separate from the server's own environment."""

import asyncio
import re
import subprocess
from pathlib import Path

import pytest

from retinue.core.children.environment import PackageEnvironment
from retinue.core.children.pip_install import NotInstalled
from retinue.tools.execution.environment import REQUIREMENTS


@pytest.fixture
def small(tmp_path: Path) -> PackageEnvironment:
    """An environment with one package, pinned like the real ones."""
    lines = REQUIREMENTS.read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("six=="))
    last = next(number for number, line in enumerate(lines[first + 1 :], first + 1) if "==" in line)
    (tmp_path / "small.txt").write_text("\n".join(lines[first:last]) + "\n")
    return PackageEnvironment(tmp_path / "environment", tmp_path / "small.txt")


def has_six(made: PackageEnvironment) -> bool:
    return subprocess.run([str(made.python), "-c", "import six"], check=False, capture_output=True).returncode == 0


async def test_it_is_ready_when_everything_is_there(small: PackageEnvironment) -> None:
    assert (small.ready, small.status) == (False, "installing")
    await asyncio.gather(small.install(), PackageEnvironment(small.folder, small.requirements).install())
    assert (small.ready, small.status) == (True, "ready")
    assert has_six(small)


async def test_it_reports_how_far_it_is(small: PackageEnvironment) -> None:
    seen: list[tuple[int, int, str]] = []
    await small.install(lambda *report: seen.append(report))
    assert seen[-1] == (1, 1, "")
    assert "Installed 1 package" in "".join(doing for _, _, doing in seen)
    assert {wanted for _, wanted, _ in seen} == {1}


async def test_one_left_half_made_is_made_anew(small: PackageEnvironment) -> None:
    await small.install()
    (small.folder / "installed").unlink()
    (small.folder / "left").write_text("from an installation that was killed")
    assert small.status == "installing"
    await small.install()
    assert small.status == "ready"
    assert not (small.folder / "left").exists()


async def test_other_pins_want_another_environment(small: PackageEnvironment) -> None:
    await small.install()
    small.requirements.write_text(small.requirements.read_text() + "# changed\n")
    assert not small.ready


async def test_a_package_with_a_wrong_hash_is_not_installed(small: PackageEnvironment) -> None:
    wrong = re.sub("[0-9a-f]{64}", "0" * 64, small.requirements.read_text())
    small.requirements.write_text(wrong)
    with pytest.raises(NotInstalled):
        await small.install()
    assert not small.ready
