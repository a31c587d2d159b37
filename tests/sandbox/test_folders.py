"""Measuring folders while a program changes them."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from retinue.sandbox import resource_monitor
from retinue.sandbox.folders import TooMany, disk_size, entries
from retinue.sandbox.limits import ResourceLimits


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with the folder `inner`, which contains a file."""
    (tmp_path / "tree" / "inner").mkdir(parents=True)
    (tmp_path / "tree" / "inner" / "file").touch()
    return tmp_path / "tree"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the server with a file."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").touch()
    return tmp_path / "outside"


@pytest.fixture
def without_root(tmp_path: Path, tree: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the test as an ordinary user who owns the folders. Paths are relative to them."""
    monkeypatch.chdir(tmp_path)
    if os.geteuid():
        yield
        return
    for path in (tmp_path, *tmp_path.rglob("*")):
        os.chown(path, 65534, 65534)
    os.seteuid(65534)
    yield
    os.seteuid(0)


def names(folder: Path) -> list[str]:
    """Return the names of everything below a folder."""
    return [Path(path).name for path, _ in entries(str(folder))]


@pytest.mark.parametrize(
    "replace",
    [
        lambda inner, outside: inner.symlink_to(outside),
        lambda inner, outside: inner.touch(),
        lambda inner, outside: os.mkfifo(inner),
        lambda inner, outside: None,
    ],
    ids=["link", "file", "pipe", "nothing"],
)
def test_a_folder_that_is_replaced_is_skipped(tree: Path, outside: Path, replace: Callable[[Path, Path], None]) -> None:
    walk = entries(str(tree))
    path, _ = next(walk)
    (tree / "inner").rename(tree.parent / "moved")
    replace(tree / "inner", outside)
    assert (path, list(walk)) == (str(tree / "inner"), [])


@pytest.mark.usefixtures("without_root")
def test_no_mode_changes_outside() -> None:
    inner, outside = Path("tree/inner"), Path("outside")
    inner.chmod(0)
    outside.chmod(0)
    walk = entries("tree")
    next(walk)
    inner.rename("tree/moved")
    inner.symlink_to("../outside")
    assert list(walk) == []
    assert outside.stat().st_mode & 0o777 == 0


@pytest.mark.usefixtures("without_root")
@pytest.mark.parametrize("mode", [0o000, 0o200, 0o400, 0o100])
def test_inaccessible_folders_are_opened(mode: int) -> None:
    Path("tree/inner").chmod(mode)
    assert names(Path("tree")) == ["inner", "file"]


def test_folders_are_closed(tree: Path) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    assert names(tree) == ["inner", "file"]
    with pytest.raises(TooMany):
        disk_size(str(tree), 1)
    assert set(Path("/proc/self/fd").iterdir()) == before


async def test_a_program_that_prevents_measuring_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: str, most: int) -> int:
        raise PermissionError

    monkeypatch.setattr(resource_monitor, "disk_size", refuse)
    assert await resource_monitor.check_exceeded(os.getpid(), tmp_path, ResourceLimits(memory_mb=1 << 20)) == "disk"
