"""What parcels are charged by."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy


class ParcelWeight(TypedDict):
    """What weight a parcel is charged by."""

    volumetric_kg: float
    chargeable_kg: Annotated[float, About("The greater of both weights")]
    volume_m3: float


@tool(
    tags="volumetric weight chargeable dimensional parcel air freight courier 5000 6000 divisor shipping",
    use_when=(
        "Volumetric weight of a parcel of 60 x 40 x 30 cm with divisor 5000",
        "Chargeable weight: 80 x 50 x 40 cm, 22 kg, air freight 6000",
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
)
def parcel_compute_weight(
    length_cm: Annotated[float, About("Length in cm", 60, minimum=0.01, maximum=1e5)],
    width_cm: Annotated[float, About("Width in cm", 40, minimum=0.01, maximum=1e5)],
    height_cm: Annotated[float, About("Height in cm", 30, minimum=0.01, maximum=1e5)],
    weight_kg: Annotated[float, About("Real weight in kg", 10, minimum=0, maximum=1e6)] = 0,
    divisor: Annotated[
        float,
        About(
            "Cubic centimetres for a kilogram: 5000 for couriers, 6000 for air freight", 5000, minimum=1, maximum=1e6
        ),
    ] = 5000,
    count: Annotated[int, About("How many such parcels", 3, minimum=1, maximum=100_000)] = 1,
) -> ParcelWeight:
    """Compute the volumetric and chargeable weight of parcels from their size and weight."""
    volume = length_cm * width_cm * height_cm * count
    volumetric = volume / divisor
    return {
        "volumetric_kg": tidy(volumetric),
        "chargeable_kg": tidy(max(volumetric, weight_kg * count)),
        "volume_m3": tidy(volume / 1e6),
    }
