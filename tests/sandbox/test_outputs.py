"""Limits on a program's output."""

from hypothesis import given
from hypothesis import strategies as st

from retinue.sandbox.outputs import OutputCollector


@given(st.lists(st.binary(max_size=50), max_size=30), st.integers(2, 200))
def test_long_output_keeps_its_beginning_and_its_end(blocks: list[bytes], most: int) -> None:
    output, whole = OutputCollector(most), b"".join(blocks)
    for block in blocks:
        output.take(block)
    printed, half = output.output(), most // 2
    assert printed.cut_bytes == max(0, len(whole) - 2 * half)
    if printed.cut_bytes == 0:
        assert printed.text == whole.decode(errors="replace")
    else:
        assert printed.text.startswith(whole[:half].decode(errors="replace"))
        assert printed.text.endswith(whole[-half:].decode(errors="replace"))
        assert f"{printed.cut_bytes:,} bytes left out" in printed.text
