"""The clock of windows never goes back, and shows the time of the clock that it follows."""

from hypothesis import given
from hypothesis import strategies as st

from retinue.gate.steady_clock import SteadyClock


@given(st.lists(st.integers(-100_000, 100_000), max_size=12))
def test_it_advances_with_a_clock_that_is_set_back_and_forth(steps: list[int]) -> None:
    shown = [1_800_000_000.0]
    clock = SteadyClock(lambda: shown[-1])
    moments = [clock.now()]
    for step in steps:
        shown.append(shown[-1] + step)
        moments.append(clock.now())
        assert moments[-1] == moments[-2] + max(step, 0)
        assert clock.shown_second(moments[-1]) == shown[-1]
