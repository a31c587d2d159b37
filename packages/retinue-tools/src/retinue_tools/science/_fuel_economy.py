"""Fuel economy in all usual units."""

from typing_extensions import TypedDict

MPG_US, MPG_IMPERIAL = 378.5411784 / 1.609344, 454.609 / 1.609344
"""Miles per gallon of a vehicle that uses one litre per 100 km."""


class FuelEconomy(TypedDict):
    """Fuel economy in all usual units."""

    l_per_100_km: float
    km_per_l: float
    mpg_us: float
    mpg_imperial: float


def fuel_economy(consumption: float) -> FuelEconomy:
    """Return the economy of a vehicle from its consumption in litres per 100 km."""
    return {
        "l_per_100_km": consumption,
        "km_per_l": 100 / consumption,
        "mpg_us": MPG_US / consumption,
        "mpg_imperial": MPG_IMPERIAL / consumption,
    }
