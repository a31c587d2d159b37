"""The status on machines that cannot run programs, and the clean-up at a start."""

from pathlib import Path

import pytest

from retinue.core.children import seccomp
from retinue.core.errors import Unavailable
from retinue.sandbox import seccomp as calls
from retinue.sandbox import system_requirements
from retinue.sandbox.sandboxes import Sandboxes


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without the programs. Programs in this folder are found."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


async def test_missing_programs_are_named_with_their_package(sandboxes: Sandboxes, bare: Path) -> None:
    reason = await sandboxes.missing(["bwrap", "git"])
    assert "bwrap and git not found" in reason
    assert "apt-get install bubblewrap git" in reason
    with pytest.raises(Unavailable, match="apt-get install bubblewrap"):
        async with sandboxes.sandbox():
            pass


def test_programs_of_one_package_name_it_once(bare: Path) -> None:
    reason = system_requirements.describe_missing(["ffmpeg", "ffprobe"])
    assert "ffmpeg and ffprobe not found" in reason
    assert "(apt-get install ffmpeg)" in reason
    assert system_requirements.describe_missing([]) == ""


async def test_tools_without_programs_lack_none(sandboxes: Sandboxes, bare: Path) -> None:
    assert await sandboxes.missing([]) == ""


async def test_a_kernel_that_forbids_it_is_told(
    sandboxes: Sandboxes, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(bare, "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    reason = await sandboxes.missing(["bwrap"])
    assert "setting up uid map: Permission denied" in reason
    assert sandboxes.status == reason
    monkeypatch.setattr(system_requirements, "_value", lambda switch: "1" if "apparmor" in switch else "")
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in await sandboxes.missing(["bwrap"])


@pytest.mark.parametrize("script", ["exit 0", "exec sleep 0.1", "exit 3"])
async def test_a_bwrap_that_does_nothing_is_told(sandboxes: Sandboxes, bare: Path, script: str) -> None:
    put(bare, "bwrap", script)
    assert "does not work here" in await sandboxes.missing(["bwrap"])


@pytest.mark.needs_program("bwrap")
async def test_a_repair_is_noticed(sandboxes: Sandboxes, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        assert await sandboxes.missing(["bwrap"])
    assert await sandboxes.missing(["bwrap"]) == ""
    assert sandboxes.status == "ready"


async def test_leftovers_of_a_killed_server_are_deleted_at_the_next_start(tmp_path: Path) -> None:
    left = tmp_path / "bubbles" / "left" / "folder" / "deep"
    left.mkdir(parents=True)
    (left / "file").write_text("x")
    (left / "link").symlink_to(tmp_path)
    (tmp_path / "kept").write_text("kept")
    await Sandboxes(1, tmp_path / "bubbles", lambda: None).start()
    assert list((tmp_path / "bubbles").iterdir()) == []
    assert (tmp_path / "kept").read_text() == "kept"


async def test_programs_can_be_switched_off(tmp_path: Path) -> None:
    off = Sandboxes(0, tmp_path / "bubbles", lambda: None)
    await off.start()
    assert "RETINUE_PROGRAMS=0" in await off.missing(["bwrap"])


def test_the_filter_is_whole() -> None:
    assert seccomp.is_supported()
    program = calls.program()
    assert len(program) % 8 == 0
    assert 50 < len(program) // 8 < 4096
