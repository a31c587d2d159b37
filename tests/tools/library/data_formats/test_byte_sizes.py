"""Commas in sizes: groups of thousands, or a decimal comma where the digits form no groups."""

import pytest

from retinue_tools.data_formats.number_notations import bytes_convert_size


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("1,500 MB", 1_500_000_000),
        ("10,000", 10_000),
        ("1,024 KB", 1_024_000),
        ("1,234,567.5 kB", 1_234_567_500),
        ("1,5 GB", 1_500_000_000),
        ("0,500 GB", 500_000_000),
    ],
)
def test_sizes_are_converted_to_bytes(size: str, expected: int) -> None:
    assert bytes_convert_size(size)["bytes"] == expected
