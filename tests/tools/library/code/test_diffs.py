"""Laws of patches and merges: what was made can be applied and undone, and a side that changed nothing adds nothing."""

from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.code._sources import SourceFile
from retinue_tools.code.diffs import diff_parse_hunks
from retinue_tools.code.merges import merge_resolve_markers, merge_three_versions
from retinue_tools.code.patches import diff_apply_files, diff_create_patch

LINES = st.lists(st.sampled_from(["a", "b", "c", "- d", "+ e", "@@", "", "e\x0cf", "g\r"]), max_size=12)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))
CLOSED = LINES.map(lambda lines: "".join(f"{line}\n" for line in lines))


def _files(text: str) -> list[SourceFile]:
    return [{"path": "x.txt", "text": text}]


@given(TEXTS, TEXTS, st.integers(0, 5))
def test_a_patch_leads_there_and_back(old: str, new: str, context: int) -> None:
    made = diff_create_patch(_files(old), _files(new), context)
    if old == new:
        assert made["diff"] == ""
        return
    assert diff_apply_files(_files(old), made["diff"])["files"] == _files(new)
    assert diff_apply_files(_files(new), made["diff"], reverse=True)["files"] == _files(old)


@given(CLOSED, CLOSED)
def test_the_hunks_count_as_many_lines_as_the_texts_differ_by(old: str, new: str) -> None:
    made = diff_create_patch(_files(old), _files(new))
    if made["diff"]:
        parsed = diff_parse_hunks(made["diff"])
        assert parsed["additions"] - parsed["deletions"] == new.count("\n") - old.count("\n")


@given(CLOSED, CLOSED)
def test_a_side_without_changes_yields_to_the_other(base: str, edited: str) -> None:
    for ours, theirs in ((base, edited), (edited, base), (edited, edited)):
        merged = merge_three_versions(base, ours, theirs)
        assert merged["clean"]
        assert merged["text"] == edited


@given(CLOSED, CLOSED, CLOSED)
def test_conflict_markers_resolve_to_the_chosen_side(base: str, ours: str, theirs: str) -> None:
    marked = merge_three_versions(base, ours, theirs)
    if not marked["clean"]:
        taken = merge_three_versions(base, ours, theirs, "ours")["text"]
        assert merge_resolve_markers(marked["text"], "ours")["text"] == taken
