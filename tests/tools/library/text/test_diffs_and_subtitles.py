"""Laws of diffs, patches, merges, subtitles and numbers in words."""

import re

from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.text._subtitle_cues import Cue, Format, format_cues, read_cues
from retinue_tools.text.numbers_in_text import text_extract_numbers
from retinue_tools.text.patches import text_apply_patch, text_merge_versions

LINE = st.sampled_from(["a\n", "b\n", "c\n", "d\n", "\n"])
VERSION = st.lists(LINE, max_size=15).map("".join)
TIME = st.integers(0, 359_999_999)
CUE = st.builds(Cue, TIME, TIME, st.from_regex(r"[a-z<>]{1,20}(\n[a-z]{1,9})?", fullmatch=True))
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(st.lists(CUE, min_size=1, max_size=6), st.sampled_from(["srt", "vtt"]))
def test_written_subtitles_are_read_back(cues: list[Cue], form: Format) -> None:
    assert read_cues(format_cues(cues, form)) == cues


@given(ANY)
def test_any_subtitles_are_read_or_refused(text: str) -> None:
    try:
        cues = read_cues(text)
    except ToolError:
        return
    assert cues


@given(VERSION, VERSION)
def test_a_merge_takes_the_only_change(base: str, changed: str) -> None:
    assert text_merge_versions(base, base, changed) == {"result": changed, "conflicts": 0}
    assert text_merge_versions(base, changed, base) == {"result": changed, "conflicts": 0}
    assert text_merge_versions(base, changed, changed) == {"result": changed, "conflicts": 0}


@given(VERSION, VERSION, VERSION)
def test_a_conflict_has_its_marks(base: str, first: str, second: str) -> None:
    merged = text_merge_versions(base, first, second)
    for mark in ("<<<<<<< first", "=======", ">>>>>>> second"):
        assert merged["result"].splitlines().count(mark) == merged["conflicts"]


@given(VERSION, st.text("@-+ ,0123456789\nab", max_size=80))
def test_any_patch_is_applied_or_refused(text: str, patch: str) -> None:
    try:
        result = text_apply_patch(text, f"@@ -1 +1 @@\n{patch}")
    except ToolError:
        return
    assert result["hunks"] >= 1


@given(st.floats(0, 1e12, allow_nan=False).map(lambda value: round(value, 2)))
def test_numbers_are_found_as_they_were_written(value: float) -> None:
    [found] = text_extract_numbers(f"There were {value:,.2f} of them.")["numbers"]
    assert found["value"] == value
    assert found["position"] == 11


@given(ANY)
def test_any_text_gives_numbers_where_they_stand(text: str) -> None:
    try:
        found = text_extract_numbers(text, top=2000)["numbers"]
    except ToolError:
        assert not re.search(r"(?<![\w.,])[0-9]{1,5}(?![\w.,'\u2019\u00a0\u202f])", text)
        return
    assert all(text[one["position"] :].lstrip().startswith(one["text"][:1]) for one in found)
