"""Dates and loans: what must hold for all of them."""

from datetime import date, timedelta
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.datetime.dates import date_add_interval, date_compute_difference, shift
from retinue_tools.finance.loans import instalment, loan_compute_payment

DATES = st.dates(date(1, 1, 1), date(9990, 1, 1))


@given(DATES, st.integers(-3000, 3000))
def test_a_difference_undoes_an_addition(start: date, days: int) -> None:
    try:
        end = date_add_interval(start.isoformat(), days=days)["date"]
    except ToolError:
        assert start.toordinal() + days < 1
        return
    assert date_compute_difference(start.isoformat(), end)["days"] == days


@given(DATES, DATES)
def test_years_months_and_days_lead_from_start_to_end(one: date, other: date) -> None:
    start, end = sorted((one, other))
    difference = date_compute_difference(start.isoformat(), end.isoformat())
    middle = shift(start, 12 * difference["years"] + difference["months"])
    assert middle + timedelta(difference["remaining_days"]) == end
    assert 0 <= difference["months"] < 12
    assert 0 <= difference["remaining_days"] < 31
    reverse = date_compute_difference(end.isoformat(), start.isoformat())
    assert reverse["days"] == -difference["days"]
    assert reverse["years"] == -difference["years"]


@given(st.dates(date(2000, 1, 1), date(2030, 1, 1)), st.integers(0, 200))
def test_working_days_are_mondays_to_fridays(start: date, days: int) -> None:
    counted = sum((start + timedelta(offset)).weekday() < 5 for offset in range(days))
    end = start + timedelta(days)
    assert date_compute_difference(start.isoformat(), end.isoformat())["working_days"] == counted


@pytest.mark.parametrize("years", [9999, -9999])
def test_results_outside_the_calendar_are_refused(years: int) -> None:
    with pytest.raises(ToolError, match="years 1 to 9999"):
        date_add_interval("2026-01-01", years=years)


@given(st.integers(1, 10**9), st.decimals(0, 100, places=3), st.integers(1, 40))
def test_the_instalments_pay_the_loan_off(principal: int, rate: Decimal, years: int) -> None:
    loan = loan_compute_payment(principal, float(rate), years)
    with localcontext(prec=40):
        exact = instalment(Decimal(principal), rate / 1200, 12 * years)
    assert abs(Decimal(repr(loan["payment"])) - exact) <= Decimal("0.00500001")
    assert loan["payments"] == 12 * years
    assert loan["total_interest"] == pytest.approx(loan["total_paid"] - principal, abs=0.02, rel=1e-12)
    assert loan["total_interest"] >= (0 if rate == 0 else -0.01 * loan["payments"])
