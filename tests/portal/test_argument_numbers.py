"""Numbers in the form of a tool."""

import pytest

from retinue.portal.forms import Form
from retinue.portal.tools.fields import ArgumentField, values_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        (" -2.5 ", -2.5),
        ("9223372036854775807", 2**63 - 1),
        ("99999999999999999999", 1e20),
        ("1e999", "1e999"),
        ("nan", "nan"),
        ("seven", "seven"),
    ],
)
def test_a_number_is_one_that_json_can_carry(text: str, value: object) -> None:
    field = ArgumentField("count", "number", True, "", (), "")
    assert values_of([field], Form([("count", text)])) == {"count": value}
