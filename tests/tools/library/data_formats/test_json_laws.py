"""JSON: changes are found and applied again, shapes are undone, forgiven text reads the same."""

import json
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.data_formats._pointers import pointer_of, steps_of
from retinue_tools.data_formats.byte_codes import Notation, bytes_decode_text, bytes_encode_text
from retinue_tools.data_formats.env_files import env_parse_variables, write_env
from retinue_tools.data_formats.json_patch import json_apply_merge_patch, json_apply_patch, json_compare_documents
from retinue_tools.data_formats.json_repair import json_repair_text
from retinue_tools.data_formats.json_shape import json_flatten_keys, json_unflatten_keys
from retinue_tools.data_formats.json_text import json_convert_lines, json_format_text
from retinue_tools.data_formats.number_notations import number_convert_base

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
NAMES = st.sampled_from(["a", "b", "c/d", "e~f", "0"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
DOCUMENTS = st.lists(VALUES, max_size=5) | st.dictionaries(NAMES, VALUES, max_size=5)
NOTATIONS = get_args(get_args(Notation)[0])


@given(DOCUMENTS, DOCUMENTS)
def test_a_patch_leads_from_one_document_to_the_other(earlier: Any, later: Any) -> None:
    found = json_compare_documents(earlier, later)
    assert found["equal"] == (found["patch"] == [])
    patched = json_apply_patch(earlier, found["patch"])["value"]
    assert json_compare_documents(patched, later)["equal"]


@given(DOCUMENTS, DOCUMENTS)
def test_a_merge_patch_leads_there_too_where_no_null_is_wanted(earlier: Any, later: Any) -> None:
    assume("null" not in json.dumps(later))
    patch = json_compare_documents(earlier, later, "merge_patch")["patch"]
    merged = json_apply_merge_patch(earlier, patch)["value"]
    assert json_compare_documents(merged, later)["equal"]


@given(st.lists(TEXT, max_size=5))
def test_pointers_name_every_step(steps: list[str]) -> None:
    assert steps_of(pointer_of(steps)) == steps


@given(st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1, max_size=4))
def test_flat_keys_are_undone(document: dict[str, Any]) -> None:
    flat = json_flatten_keys(document, "::", lists=False)["value"]
    assert json_unflatten_keys(flat, "::", lists=False)["value"] == document


@given(DOCUMENTS)
def test_json_is_read_as_json_without_repairs(document: Any) -> None:
    read = json_repair_text(json.dumps(document))
    assert read["repairs"] == []
    assert read["value"] == document


@given(st.text(max_size=60))
def test_any_text_is_repaired_or_refused(text: str) -> None:
    try:
        repaired = json_repair_text(text)
    except ToolError:
        return
    assert json.loads(repaired["text"]) == repaired["value"]


@given(st.lists(VALUES, max_size=5))
def test_lines_become_an_array_again(items: list[Any]) -> None:
    lines = json_convert_lines(json.dumps(items), "lines")
    assert lines["records"] == len(items)
    assert json.loads(json_convert_lines(lines["text"], "array")["text"]) == items


@given(DOCUMENTS, st.booleans(), st.booleans())
def test_layout_leaves_values_alone(document: Any, sort_keys: bool, ascii_only: bool) -> None:
    laid = json_format_text(json.dumps(document), "tab", sort_keys, ascii_only)["text"]
    assert json.loads(laid) == document


@pytest.mark.parametrize("notation", NOTATIONS)
@given(content=st.binary(max_size=60))
def test_encoded_bytes_are_decoded(notation: Any, content: bytes) -> None:
    whole = content + bytes(-len(content) % 4 if notation == "z85" else 0)
    encoded = bytes_encode_text(hex_digits=whole.hex(), notation=notation)
    assert encoded["size_bytes"] == len(whole)
    if encoded["text"]:
        assert bytes_decode_text(encoded["text"], notation)["hex"] == whole.hex()


@given(st.integers(-(2**200), 2**200), st.integers(2, 62), st.integers(2, 62))
def test_integers_survive_any_base(number: int, first: int, second: int) -> None:
    there = number_convert_base(str(number), first)["text"]
    again = number_convert_base(there, second, first)
    assert again["decimal"] == str(number)
    assert number_convert_base(again["text"], 10, second)["text"] == str(number)


@given(
    st.dictionaries(st.from_regex(r"[A-Z_][A-Z0-9_]{0,5}", fullmatch=True), TEXT.filter(lambda text: "\r" not in text))
)
def test_environment_files_are_read_as_written(variables: dict[str, str]) -> None:
    text = write_env(variables)
    assert env_parse_variables(text)["variables"] == variables
