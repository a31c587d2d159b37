"""The format of skills: what archives and front matter may contain, without a server."""

import io
import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.skills.front_matter import read_front_matter
from retinue.skills.parsing import DOCUMENT, skill_import
from retinue.skills.paths import check_path
from retinue.tools.authoring.declare import ToolError
from tests.skills.support import FILES, INSTRUCTIONS, instructions, zip_of


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def parse(content: bytes) -> dict[str, Any]:
    """Parse a document as a worker does."""
    Path(DOCUMENT).write_bytes(content)
    return skill_import()


def refusal(content: bytes) -> str:
    """Return the reason why a document is refused."""
    with pytest.raises(ToolError) as refused:
        parse(content)
    return str(refused.value)


@pytest.mark.parametrize("folder", ["", "pirate-talk/", "a-folder-of-any-name/"])
def test_the_output_holds_each_file_at_its_place(folder: str) -> None:
    found = parse(zip_of(FILES, folder))
    archive = (Path("made") / found["archive"]).read_bytes()
    there = {one["path"]: archive[one["offset"] :][: one["size"]].decode() for one in found["files"]}
    assert (there, next(iter(there))) == (FILES, "SKILL.md")
    assert found["front_matter"]["metadata"] == {"author": "tests", "version": 1.2}
    with zipfile.ZipFile(io.BytesIO(archive)) as unpacked:
        assert {name: unpacked.read(name).decode() for name in unpacked.namelist()} == FILES


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"readme.md": "x"}, "has no SKILL.md"),
        ({"skill.md": INSTRUCTIONS}, "Rename skill.md to SKILL.md"),
        ({"a/SKILL.md": INSTRUCTIONS, "b/SKILL.md": INSTRUCTIONS}, "several skills: a/SKILL.md, b/SKILL.md"),
        ({"a/b/SKILL.md": INSTRUCTIONS}, "the archive has it as a/b/SKILL.md"),
        ({"a/SKILL.md": INSTRUCTIONS, "readme.md": "x"}, "Zip only the folder of the skill"),
        ({"SKILL.md": INSTRUCTIONS, "/etc/passwd": "x"}, "leads out of the skill"),
        ({"SKILL.md": INSTRUCTIONS, "a/../../b": "x"}, "leads out of the skill"),
        ({"SKILL.md": INSTRUCTIONS, "a\\..\\..\\b": "x"}, "leads out of the skill"),
        ({"SKILL.md": INSTRUCTIONS, "C:\\b": "x"}, "leads out of the skill"),
        ({"SKILL.md": INSTRUCTIONS, "a": "x", "a/b": "x"}, "lies below a file"),
        ({"SKILL.md": INSTRUCTIONS, "a" * 300: "x"}, "too long"),
        ({"SKILL.md": INSTRUCTIONS, **dict.fromkeys(map(str, range(512)), "")}, "513 files; a skill can have at most"),
        ({"SKILL.md": INSTRUCTIONS, "zeros": bytes(17 << 20)}, "more than 16 MiB in total"),
        ({"SKILL.md": INSTRUCTIONS + "x" * (256 << 10)}, "more than 256 KiB"),
    ],
)
def test_archives_that_are_refused(files: dict[str, str | bytes], reason: str) -> None:
    assert reason in refusal(zip_of(files))


def test_links_passwords_repetitions_and_damage_are_refused() -> None:
    target = io.BytesIO()
    link = zipfile.ZipInfo("SKILL.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert "is a link" in refusal(target.getvalue())
    same = zip_of({"SKILL.md": INSTRUCTIONS, "SKILL.MD": "x"}).replace(b"SKILL.MD", b"SKILL.md")
    assert "twice" in refusal(same)
    whole = zip_of(FILES)
    assert "damaged" in refusal(whole[: len(whole) // 2])
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[whole.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(encrypted))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must begin with front matter"),
        ("# Heading\n---\n", "must begin with front matter"),
        ("---\nname: a\n", "must begin with front matter"),
        ("---\n- a\n---\n", "must have fields"),
        ("---\nname: a\ndescription: Use when: asked\n---\n", "(line 3): wrong indentation, or a text with a colon"),
        (instructions("Pirate"), "name: use 1 to 64 lower-case letters"),
        (instructions("-a"), "name: use 1 to 64"),
        (instructions("a--b"), "name: use 1 to 64"),
        (instructions("a" * 65), "name: use 1 to 64"),
        (instructions("12"), "name: use 1 to 64"),
        (instructions("../a"), "name: use 1 to 64"),
        (instructions(description="' '"), "description: say what the skill does"),
        (instructions(description="x" * 1025), "at most 1,024 characters; it has 1,025"),
        ("---\nname: a\ndescription: b\ncompatibility: " + "x" * 501 + "\n---\n", "compatibility: use a text"),
        ("---\nname: a\ndescription: b\nmetadata: x\n---\n", "metadata: use names with values"),
        ("---\nname: a\ndescription: b\nallowed-tools: 1\n---\n", "allowed-tools: use names of tools"),
        ("---\nname: a\ndescription: b\nmore: " + "x" * (16 << 10) + "\n---\n", "more than 16 KiB"),
    ],
)
def test_front_matter_that_is_refused(text: str, reason: str) -> None:
    assert reason in refusal(text.encode())


def test_all_wrong_fields_are_named_at_once() -> None:
    reason = refusal(b"---\nname: A B\nmetadata: 1\n---\n")
    assert all(f"{field}: " in reason for field in ("name", "description", "metadata"))


def test_a_text_in_another_encoding_is_refused() -> None:
    assert "not text in UTF-8" in refusal("---\nname: é\n---\n".encode("latin-1"))


def test_front_matter_of_other_programs_is_kept() -> None:
    text = "\ufeff---\r\nname: a-1\r\ndescription: >\r\n  Two\r\n  lines\r\nuser-invocable: true\r\n---\r\nBody"
    assert read_front_matter(text.encode()) == {"name": "a-1", "description": "Two lines\n", "user-invocable": True}


@given(st.text(max_size=60))
def test_a_path_that_is_accepted_stays_below_its_folder(path: str) -> None:
    try:
        check_path(path)
    except ValueError:
        return
    assert os.path.normpath(f"/skill/{path}").startswith("/skill/")


@given(st.binary(max_size=400))
def test_any_bytes_as_front_matter_are_read_or_refused(content: bytes) -> None:
    try:
        front = read_front_matter(b"---\n" + content + b"\n---\n")
    except ValidationFailed:
        return
    assert {"name", "description"} <= front.keys()
