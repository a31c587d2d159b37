from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.data_analysis.charts_sparkline import chart_draw_sparkline

values = st.lists(st.floats(-1e15, 1e15), min_size=2, max_size=60)


@given(values)
def test_each_number_has_a_block_and_greater_numbers_no_lower_ones(numbers: list[float]) -> None:
    text = chart_draw_sparkline(numbers)["text"]
    assert len(text) == len(numbers)
    blocks = [block for _, block in sorted(zip(numbers, text, strict=True))]
    assert blocks == sorted(blocks)


@given(values)
def test_turning_the_order_turns_the_line(numbers: list[float]) -> None:
    assert chart_draw_sparkline(numbers[::-1])["text"] == chart_draw_sparkline(numbers)["text"][::-1]
