import re
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.documents._office_runs import constant, replace_in_runs, text_pattern, xml_text


@dataclass
class Run:
    text: str


pieces = st.lists(st.text("abAB ", max_size=4), min_size=1, max_size=8)


@given(pieces, st.text("abAB ", min_size=1, max_size=3), st.text("xyz", max_size=4), st.booleans())
def test_replacing_in_pieces_is_replacing_in_the_whole(texts: list[str], find: str, new: str, match_case: bool) -> None:
    pattern = text_pattern(find, match_case=match_case, whole_words=False)
    runs = [Run(text) for text in texts]
    count = replace_in_runs(runs, pattern, constant(new))
    assert ("".join(run.text for run in runs), count) == pattern.subn(new, "".join(texts))


@given(pieces)
def test_runs_without_a_match_stay(texts: list[str]) -> None:
    runs = [Run(text) for text in texts]
    assert replace_in_runs(runs, re.compile("q"), constant("x")) == 0
    assert [run.text for run in runs] == texts


@given(st.text())
def test_text_for_xml_has_no_control_characters_and_is_settled(text: str) -> None:
    clean = xml_text(text)
    assert xml_text(clean) == clean
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", clean)
