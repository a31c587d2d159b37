"""CSV, YAML, query strings, vCards and byte encodings: what the examples do not cover."""

import pytest

from retinue_tools.data_formats.csv_files import csv_clean_table
from retinue_tools.data_formats.csv_tables import csv_convert_to_json, csv_transpose_table


@pytest.mark.parametrize("table", ['"Last, First";Age\nA;1', '\ufeff"Last, First";Age\nA;1', '"a,b,""c";Age\nA;1'])
def test_delimiters_in_quoted_names_do_not_count(table: str) -> None:
    assert csv_clean_table(table)["columns"][1] == "Age"
    assert csv_convert_to_json(table)["columns"][1] == "Age"
    assert csv_transpose_table(table)["text"].splitlines()[1] == "Age;1"
