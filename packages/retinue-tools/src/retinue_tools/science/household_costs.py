"""Household costs: electricity, gas, fuel, and the chargeable weight of parcels."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._fuel_economy import FuelEconomy, fuel_economy
from retinue_tools.tidy import tidy

_MOST = 1e12


class ElectricityCost(TypedDict):
    """Electricity use of an appliance."""

    energy_kwh: float
    cost: float
    energy_kwh_per_day: float
    cost_per_year: Annotated[float, About("Cost per year, with this use on 365 days")]


@tool(
    tags="electricity cost kwh watts hours minutes appliance power bill price energy consumption heater fridge"
    " computer",
    use_when=(
        "What does a 2000 W heater cost for 3 hours a day over 30 days at 0.30 per kWh?",
        "My PC draws 450 watts, 4 hours a day; 0.28 a kWh. Cost per year?",
        "A fridge of 110 W runs all day. How many kWh a year?",
        "A 2200 W kettle runs 15 minutes a day. What does it cost per month at 0.30 per kWh?",
        "What does it cost to run a heater all day?",
        "How much power does my fridge use?",
    ),
    examples=(
        Example(
            {"power_w": 2000, "hours_per_day": 3, "days": 30, "price_per_kwh": 0.3},
            {"energy_kwh": 180.0, "cost": 54.0},
            source="arithmetic: 2 * 3 * 30 * 0.30",
        ),
        Example({"power_w": 110, "days": 365}, {"energy_kwh": 963.6, "cost": 0.0}, source="0.11 * 24 * 365"),
        Example(
            {"power_w": 60, "count": 10, "hours_per_day": 5, "price_per_kwh": 0.25},
            {"cost": 0.75},
            source="3 kWh at 0.25",
        ),
        Example(
            {"power_w": 2000, "minutes_per_day": 15, "days": 30, "price_per_kwh": 0.3},
            {"energy_kwh": 15.0, "cost": 4.5, "energy_kwh_per_day": 0.5, "cost_per_year": 54.75},
            source="arithmetic: 2 * 0.25 * 30 * 0.30, and 2 * 0.25 * 365 * 0.30",
        ),
        Refusal({"power_w": 100, "hours_per_day": 25}, "hours_per_day"),
        Refusal({"power_w": 100, "minutes_per_day": 1441}, "minutes_per_day"),
        Refusal({"power_w": 100, "hours_per_day": 1, "minutes_per_day": 60}, "not both"),
    ),
    reply={
        "cost": "It uses {energy_kwh} kWh, which costs {cost}; in a year that is {cost_per_year}.",
        "": "It uses {energy_kwh} kWh, or {energy_kwh_per_day} kWh a day.",
    },
)
def electricity_compute_cost(
    power_w: Annotated[float, About("Power in watts", 2000, minimum=0, maximum=_MOST)],
    hours_per_day: Annotated[
        float | None, About("Hours of use per day; default: 24, unless minutes are given", 3, minimum=0, maximum=24)
    ] = None,
    minutes_per_day: Annotated[
        float | None, About("Minutes of use per day, instead of hours", 15, minimum=0, maximum=1440)
    ] = None,
    days: Annotated[float, About("Number of days", 30, minimum=0, maximum=1e6)] = 1,
    price_per_kwh: Annotated[float, About("Price per kilowatt-hour", 0.3, minimum=0, maximum=1e6)] = 0,
    count: Annotated[float, About("Number of such appliances", 10, minimum=0, maximum=1e6)] = 1,
) -> ElectricityCost:
    """Compute the electricity that an appliance uses in a number of days, and its cost.

    Give its use per day in hours or in minutes; without either, it runs all day.
    """
    if hours_per_day is not None and minutes_per_day is not None:
        raise ToolError("Give either hours_per_day or minutes_per_day, not both.")
    if minutes_per_day is not None:
        hours_per_day = minutes_per_day / 60
    daily = power_w * count * (24 if hours_per_day is None else hours_per_day) / 1000
    return {
        "energy_kwh": tidy(daily * days),
        "cost": tidy(daily * days * price_per_kwh),
        "energy_kwh_per_day": tidy(daily),
        "cost_per_year": tidy(daily * 365 * price_per_kwh),
    }


class FuelConsumption(FuelEconomy):
    """Consumption of a vehicle on a trip."""

    cost: Annotated[float | None, About("Cost of the fuel used")]
    cost_per_100_km: float | None


@tool(
    tags="fuel consumption used litres per 100 km tank filled petrol diesel car drove average economy",
    use_when=(
        "My car used 38 litres over 560 km. What is that per 100 km?",
        "We drove 420 km on 25 l of diesel. What is the consumption?",
        "I filled up 41 litres after 610 km at 1.79 a litre. Consumption and cost?",
        "How much petrol does my car use?",
    ),
    examples=(
        Example(
            {"litres": 42, "distance_km": 600},
            {"l_per_100_km": 7.0, "km_per_l": 14.285714285714, "mpg_us": 33.602083333, "mpg_imperial": 40.35441948},
            source="42 / 600 * 100; 235.214583 / 7; 282.481 / 7",
            tolerance=1e-8,
        ),
        Example(
            {"litres": 40, "distance_km": 500, "price_per_l": 1.75},
            {"l_per_100_km": 8.0, "cost": 70.0, "cost_per_100_km": 14.0},
            source="40 * 1.75, and 8 * 1.75",
        ),
        Refusal({"litres": 0, "distance_km": 600}, "litres"),
    ),
    reply={
        "cost_per_100_km": "It uses {l_per_100_km} l per 100 km and costs {cost_per_100_km} per 100 km.",
        "": (
            "It uses {l_per_100_km} l per 100 km, or {km_per_l} km per litre ({mpg_us} mpg "
            "US, {mpg_imperial} mpg imperial)."
        ),
    },
)
def fuel_compute_consumption(
    litres: Annotated[float, About("Fuel used, in litres", 38, exclusive_minimum=0, maximum=1e9)],
    distance_km: Annotated[float, About("Distance driven, in kilometres", 560, exclusive_minimum=0, maximum=1e9)],
    price_per_l: Annotated[float | None, About("Price per litre", 1.79, minimum=0, maximum=1e6)] = None,
) -> FuelConsumption:
    """Compute the fuel consumption of a vehicle from the litres used and the distance driven.

    Returns litres per 100 km, kilometres per litre, miles per gallon and, with a price, the cost.
    """
    consumption = litres / distance_km * 100
    return {
        **fuel_economy(tidy(consumption)),
        "cost": None if price_per_l is None else tidy(litres * price_per_l),
        "cost_per_100_km": None if price_per_l is None else tidy(consumption * price_per_l),
    }


class GasEnergy(TypedDict):
    """Energy of gas."""

    energy_kwh: float
    cost: float


@tool(
    tags="gas meter cubic metres kwh calorific value correction factor volume energy bill convert",
    use_when=(
        "How many kWh are 245 m3 of gas with a calorific value of 39.4 MJ/m3 and a correction of 1.02264?",
        "Gas bill: 120 m3, 10.8 kWh per m3, 0.09 per kWh",
    ),
    examples=(
        Example(
            {"volume_m3": 100, "calorific_mj_m3": 36, "correction": 1},
            {"energy_kwh": 1000.0},
            source="arithmetic: 100 * 36 / 3.6",
        ),
        Example(
            {"volume_m3": 100, "calorific_mj_m3": 39.6, "price_per_kwh": 0.1}, {"cost": 112.4904}, "1100 * 1.02264 / 10"
        ),
        Refusal({"volume_m3": 5, "calorific_mj_m3": 0}, "calorific_mj_m3"),
    ),
    reply={
        "cost": "{args.volume_m3} m\u00b3 of gas is {energy_kwh} kWh, which costs {cost}.",
        "": "{args.volume_m3} m\u00b3 of gas is {energy_kwh} kWh.",
    },
)
def gas_convert_energy(
    volume_m3: Annotated[float, About("Cubic metres on the meter", 245, minimum=0, maximum=_MOST)],
    calorific_mj_m3: Annotated[float, About("Calorific value in MJ/m3", 39.4, minimum=1, maximum=200)] = 39.4,
    correction: Annotated[
        float, About("Volume correction, as on British bills", 1.02264, minimum=0.1, maximum=10)
    ] = 1.02264,
    price_per_kwh: Annotated[float, About("Price per kilowatt-hour", 0.09, minimum=0, maximum=1e6)] = 0,
) -> GasEnergy:
    """Convert cubic metres of a gas meter to kilowatt-hours, and to their cost."""
    energy = volume_m3 * correction * calorific_mj_m3 / 3.6
    return {"energy_kwh": tidy(energy), "cost": tidy(energy * price_per_kwh)}


class ParcelWeight(TypedDict):
    """Chargeable weight of parcels."""

    volumetric_kg: float
    chargeable_kg: Annotated[float, About("The greater of both weights")]
    volume_m3: float


@tool(
    tags="volumetric weight chargeable dimensional parcel air freight courier 5000 6000 divisor shipping",
    use_when=(
        "Volumetric weight of a parcel of 60 x 40 x 30 cm with divisor 5000",
        "Chargeable weight: 80 x 50 x 40 cm, 22 kg, air freight 6000",
        "What does my parcel weigh for the post?",
    ),
    examples=(
        Example(
            {"length_cm": 60, "width_cm": 40, "height_cm": 30, "weight_kg": 10},
            {"volumetric_kg": 14.4, "chargeable_kg": 14.4, "volume_m3": 0.072},
            source="72000 / 5000",
        ),
        Example(
            {"length_cm": 60, "width_cm": 40, "height_cm": 30, "weight_kg": 15, "divisor": 6000},
            {"volumetric_kg": 12.0, "chargeable_kg": 15.0},
            source="72000 / 6000",
        ),
        Refusal({"length_cm": 0, "width_cm": 4, "height_cm": 3}, "length_cm"),
    ),
    reply="The chargeable weight is {chargeable_kg} kg; the volumetric weight is {volumetric_kg} kg.",
)
def parcel_compute_weight(
    length_cm: Annotated[float, About("Length in cm", 60, minimum=0.01, maximum=1e5)],
    width_cm: Annotated[float, About("Width in cm", 40, minimum=0.01, maximum=1e5)],
    height_cm: Annotated[float, About("Height in cm", 30, minimum=0.01, maximum=1e5)],
    weight_kg: Annotated[float, About("Actual weight in kg", 10, minimum=0, maximum=1e6)] = 0,
    divisor: Annotated[
        float,
        About("Cubic centimetres per kilogram: 5000 for couriers, 6000 for air freight", 5000, minimum=1, maximum=1e6),
    ] = 5000,
    count: Annotated[int, About("Number of such parcels", 3, minimum=1, maximum=100_000)] = 1,
) -> ParcelWeight:
    """Compute the volumetric and chargeable weight of parcels from their size and weight."""
    volume = length_cm * width_cm * height_cm * count
    volumetric = volume / divisor
    return {
        "volumetric_kg": tidy(volumetric),
        "chargeable_kg": tidy(max(volumetric, weight_kg * count)),
        "volume_m3": tidy(volume / 1e6),
    }
