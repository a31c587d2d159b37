"""CSV, YAML, query strings, vCards and byte encodings: what the examples do not cover."""

from typing import Any

import pytest

from retinue_tools.data_formats.byte_codes import bytes_decode_text, bytes_encode_text
from retinue_tools.data_formats.csv_files import csv_clean_table
from retinue_tools.data_formats.csv_tables import csv_convert_to_json, csv_transpose_table
from retinue_tools.data_formats.url_texts import query_string_parse
from retinue_tools.data_formats.vcards import vcard_parse_contacts
from retinue_tools.data_formats.yaml_text import json_convert_to_yaml, yaml_convert_to_json


@pytest.mark.parametrize("table", ['"Last, First";Age\nA;1', '\ufeff"Last, First";Age\nA;1', '"a,b,""c";Age\nA;1'])
def test_delimiters_in_quoted_names_do_not_count(table: str) -> None:
    assert csv_clean_table(table)["columns"][1] == "Age"
    assert csv_convert_to_json(table)["columns"][1] == "Age"
    assert csv_transpose_table(table)["text"].splitlines()[1] == "Age;1"


@pytest.mark.parametrize("text", ["08540", "1e3", "0o17", "0x1F", "012", "no", "1_000", "2026-01-01", "", "~", "+.5"])
def test_text_is_text_in_both_versions_of_yaml(text: str) -> None:
    written = json_convert_to_yaml({text: [text]})["text"]
    assert [yaml_convert_to_json(written, version)["documents"] for version in ("1.1", "1.2")] == [[{text: [text]}]] * 2


@pytest.mark.parametrize("value", [8540, 1e3, 1e20, 1e-7, True, None, "tea", "0.1.2", "1 000"])
def test_other_values_are_not_quoted(value: Any) -> None:
    written = json_convert_to_yaml([value])["text"]
    assert "'" not in written
    assert yaml_convert_to_json(written)["documents"] == [[value]]


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("q=what?&x=1", {"q": "what?", "x": "1"}),
        ("?q=what?", {"q": "what?"}),
        ("next=https://example.com/a?b", {"next": "https://example.com/a?b"}),
        ("next=https://example.com/", {"next": "https://example.com/"}),
        ("https://example.com/a=b&c?q=1", {"q": "1"}),
        ("https://example.com/a=b", {}),
        ("/search?q=1", {"q": "1"}),
    ],
)
def test_a_query_string_may_contain_question_marks(query: str, parameters: dict[str, str]) -> None:
    assert query_string_parse(query)["value"] == parameters


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Kim M=C3=BCller", "Kim Müller"),
        ("FN;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Kim M=FCller", "Kim Müller"),
        ("FN;QUOTED-PRINTABLE:Kim =\r\nM=C3=\r\n=BCller", "Kim Müller"),
        ("FN;ENCODING=QUOTED-PRINTABLE;CHARSET=X-NONE:Kim=20M=C3=BCller", "Kim Müller"),
        ("N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Kim;;;", "Müller, Kim"),
        ("FN:M=C3=BCller", "M=C3=BCller"),
    ],
)
def test_quoted_printable_names_of_version_2_1(line: str, name: str) -> None:
    text = f"BEGIN:VCARD\r\nVERSION:2.1\r\n{line}\r\nTEL;CELL:1\r\nEND:VCARD\r\n"
    (card,) = vcard_parse_contacts(text)["cards"]
    assert (card["name"], card["phones"]) == (name, ["1"])


@pytest.mark.parametrize(
    ("notation", "digits", "encoded"),
    [
        ("z85", "00000042", "0000="),
        ("ascii85", "0000001c", "!!!!="),
        ("base85", "0000004a", "0000="),
        ("base32", "00", "AA"),
        ("base64", "00", "AA"),
    ],
)
def test_only_padding_is_left_out(notation: Any, digits: str, encoded: str) -> None:
    assert bytes_encode_text(hex_digits=digits, notation=notation, padding=False)["text"] == encoded
    assert bytes_decode_text(encoded, notation)["hex"] == digits
