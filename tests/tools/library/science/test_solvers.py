"""Laws of the solvers: whichever quantities are given, the same whole comes out."""

from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retinue_tools.science.circuits import circuit_solve_ohm
from retinue_tools.science.electronic_components import component_find_standard
from retinue_tools.science.genetics import genetics_cross_genotypes
from retinue_tools.science.household_costs import electricity_compute_cost
from retinue_tools.science.motion import motion_solve_kinematics
from retinue_tools.science.weather_and_julian_dates import astro_convert_julian_date

POSITIVE = st.floats(0.01, 1e4)
MOTION = ("distance_m", "initial_m_s", "final_m_s", "acceleration_m_s2", "time_s")


@given(POSITIVE, POSITIVE)
def test_any_two_quantities_of_a_resistor_tell_the_others(voltage: float, current: float) -> None:
    whole = {
        "voltage_v": voltage,
        "current_a": current,
        "resistance_ohm": voltage / current,
        "power_w": voltage * current,
    }
    smaller = {"current_ma": current * 1000, "power_mw": voltage * current * 1000}
    for names in combinations(whole, 2):
        found = circuit_solve_ohm(**{name: whole[name] for name in names})
        assert dict(found) == pytest.approx(whole | smaller)


@given(POSITIVE, POSITIVE, POSITIVE)
def test_any_three_quantities_of_a_motion_tell_the_others(initial: float, acceleration: float, time: float) -> None:
    final = initial + acceleration * time
    whole = dict(zip(MOTION, ((initial + final) / 2 * time, initial, final, acceleration, time), strict=True))
    assert dict(motion_solve_kinematics(whole["distance_m"], initial, time_s=time))["final_m_s"] == pytest.approx(final)
    found = motion_solve_kinematics(initial_m_s=initial, final_m_s=final, time_s=time)
    assert found["distance_m"] == pytest.approx(whole["distance_m"])


@pytest.mark.parametrize(
    ("initial", "acceleration", "distance", "final", "time"),
    [
        (0, -9.81, -20, -19.8091, 2.01927),
        (10, -9.81, -20, -22.1901, 3.28136),
        (-5, 1, -8, -3, 2),
        (5, -1, 8, 3, 2),
    ],
)
def test_a_velocity_may_be_the_negative_root(
    initial: float, acceleration: float, distance: float, final: float, time: float
) -> None:
    found = motion_solve_kinematics(distance, initial, acceleration_m_s2=acceleration)
    assert (found["final_m_s"], found["time_s"]) == pytest.approx((final, time), rel=1e-5)


@given(st.floats(1e-6, 1e9))
@example(140.0)
def test_standard_values_enclose_the_value(value: float) -> None:
    found = component_find_standard(value)
    assert found["below"] <= value * (1 + 1e-6)
    assert found["above"] >= value * (1 - 1e-6)
    assert abs(found["error_percent"]) <= 100 / 14 + 1e-6, "13 and 15 lie furthest apart, and 14 is off both by 1"


@given(st.lists(st.sampled_from(["AA", "Aa", "aa"]), min_size=2, max_size=2))
def test_the_shares_of_a_cross_make_a_whole(parents: list[str]) -> None:
    cross = genetics_cross_genotypes(*parents)
    assert sum(cross["genotypes"].values()) == pytest.approx(1)
    assert sum(cross["phenotypes"].values()) == pytest.approx(1)


@given(st.floats(1_800_000, 5_000_000))
def test_a_julian_date_reads_back(julian_date: float) -> None:
    moment = astro_convert_julian_date(julian_date=julian_date)["utc"]
    assert astro_convert_julian_date(utc=moment)["julian_date"] == pytest.approx(julian_date, abs=2e-5)


@given(POSITIVE, st.floats(0, 1440), POSITIVE)
def test_minutes_of_use_cost_as_much_as_the_same_time_in_hours(power: float, minutes: float, price: float) -> None:
    in_minutes = electricity_compute_cost(power, minutes_per_day=minutes, price_per_kwh=price)
    assert dict(in_minutes) == pytest.approx(dict(electricity_compute_cost(power, minutes / 60, price_per_kwh=price)))


@pytest.mark.parametrize("use", [{"hours_per_day": 0}, {"minutes_per_day": 0}])
def test_an_appliance_without_use_costs_nothing(use: dict[str, float]) -> None:
    assert {*electricity_compute_cost(2000, **use, days=30, price_per_kwh=0.3).values()} == {0}


def test_an_appliance_runs_all_day_unless_its_use_is_given() -> None:
    assert electricity_compute_cost(100) == electricity_compute_cost(100, 24)
