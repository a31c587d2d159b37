"""Laws of averages and of chances."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.statistics.averages import stats_compute_percentiles, stats_compute_power_means
from retinue_tools.statistics.probability import stats_compute_dice, stats_draw_items, stats_update_beliefs

samples = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50)


@given(samples)
def test_percentiles_rise_and_stay_within_the_sample(values: list[float]) -> None:
    found = [part["value"] for part in stats_compute_percentiles(values, [0, 10, 50, 90, 100])["percentiles"]]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (min(values), max(values))


@given(st.lists(st.floats(0.01, 1e6), min_size=2, max_size=50))
def test_means_are_ordered_by_their_exponents(values: list[float]) -> None:
    means = stats_compute_power_means(values)
    rising = [means["harmonic"], means["geometric"], means["arithmetic"], means["quadratic"]]
    assert all(low <= high * (1 + 1e-9) for low, high in pairwise(rising))


@given(st.integers(1, 6), st.integers(2, 12), st.data())
def test_chances_of_dice_sum_to_one(count: int, faces: int, data: st.DataObject) -> None:
    keep = data.draw(st.integers(1, count))
    throw = stats_compute_dice(f"{count}d{faces}kh{keep}+1")
    assert math.isclose(math.fsum(part["probability"] for part in throw["outcomes"]), 1)
    assert (throw["minimum"], throw["maximum"]) == (keep + 1, keep * faces + 1)


@given(st.lists(st.text(max_size=5), min_size=1, max_size=20), st.integers(0, 1000))
def test_drawing_all_items_shuffles_them(items: list[str], seed: int) -> None:
    assert sorted(stats_draw_items(items, len(items), seed=seed)["items"]) == sorted(items)


@given(st.lists(st.tuples(st.floats(0.001, 1), st.floats(0.001, 1)), min_size=2, max_size=10))
def test_posteriors_sum_to_one(pairs: list[tuple[float, float]]) -> None:
    names = [str(place) for place in range(len(pairs))]
    found = stats_update_beliefs(names, [prior for prior, _ in pairs], [chance for _, chance in pairs])
    assert math.isclose(math.fsum(part["posterior"] for part in found["hypotheses"]), 1)
