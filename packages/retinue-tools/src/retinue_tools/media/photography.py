"""Photography calculations: exposure, focal length and depth of field."""

from math import inf, log2
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_CROPS = {"full frame": 1.0, "APS-C": 1.5, "APS-C Canon": 1.6, "micro four thirds": 2.0, "1 inch": 2.7}
_CIRCLE_MM = 0.03
"""Blur that is considered sharp on full frame."""
_FAR_M = 1e9


class Exposure(TypedDict):
    """A shutter speed with the same exposure."""

    shutter: Annotated[str, About("Shutter speed as 1/125 or 2 s")]
    shutter_s: float
    stops: Annotated[
        float, About("Stops by which the aperture and the ISO brighten the picture, negative if they darken it")
    ]


@tool(
    tags="exposure aperture shutter speed iso stops f-number equivalent photo camera light nd filter long exposure",
    use_when=(
        "I shoot at f/2.8 and 1/500 s and want f/8. Which shutter speed gives the same exposure?",
        "From ISO 100 to ISO 800: which shutter instead of 1/30?",
        "Shutter speed with a 10-stop ND filter when it is 1/60 without",
    ),
    examples=(
        Example(
            {"shutter_s": 0.002, "from_aperture": 2.8, "to_aperture": 5.6},
            {"shutter": "1/125", "shutter_s": 0.008, "stops": -2.0},
            source="two stops: four times as long",
        ),
        Example(
            {"shutter_s": 0.0333333333333, "from_iso": 100, "to_iso": 800},
            {"shutter": "1/240", "stops": 3.0},
            source="three stops: an eighth",
        ),
        Example({"shutter_s": 0.015625, "filter_stops": 10}, {"shutter": "16 s"}, source="2^10 / 64"),
        Refusal({"shutter_s": 0}, "shutter_s"),
    ),
    reply="The shutter speed is {shutter}, as the change is {stops} stops.",
)
def photo_match_exposure(
    shutter_s: Annotated[float, About("Shutter speed in seconds; 1/500 is 0.002", 0.002, minimum=1e-30, maximum=1e6)],
    from_aperture: Annotated[float | None, About("Current f-number", 2.8, minimum=1e-30, maximum=1000)] = None,
    to_aperture: Annotated[float | None, About("Target f-number", 8, minimum=1e-30, maximum=1000)] = None,
    from_iso: Annotated[float | None, About("Current ISO", 100, minimum=1e-30, maximum=1e8)] = None,
    to_iso: Annotated[float | None, About("Target ISO", 800, minimum=1e-30, maximum=1e8)] = None,
    filter_stops: Annotated[float, About("Stops absorbed by a filter", 10, minimum=0, maximum=40)] = 0,
) -> Exposure:
    """Find the shutter speed that keeps the exposure when aperture, ISO or a filter change.

    Use it for photography. f-numbers are used exactly, not as rounded full stops.
    """
    stops = -filter_stops
    if from_aperture and to_aperture:
        stops += 2 * log2(from_aperture / to_aperture)
    if from_iso and to_iso:
        stops += log2(to_iso / from_iso)
    seconds = shutter_s / 2**stops
    return {"shutter": _shutter(seconds), "shutter_s": tidy(seconds), "stops": tidy(stops)}


def _shutter(seconds: float) -> str:
    return f"1/{round(1 / seconds)}" if seconds < 0.3 else f"{seconds:.4g} s"


class FocalLength(TypedDict):
    """A focal length on another sensor."""

    equivalent_mm: Annotated[float, About("Focal length with the same view on full frame")]
    equivalent_aperture: Annotated[float | None, About("f-number with the same depth of field on full frame")]
    crop_factor: float


@tool(
    tags="crop factor full frame equivalent focal length sensor aps-c micro four thirds lens 35mm camera",
    use_when=(
        "What is a 35 mm lens on APS-C in full frame terms?",
        "Full-frame equivalent of 25 mm f/1.8 on micro four thirds",
        "Crop factor 1.6, 50 mm lens",
    ),
    examples=(
        Example({"focal_mm": 35, "sensor": "APS-C"}, {"equivalent_mm": 52.5}, source="35 * 1.5"),
        Example(
            {"focal_mm": 25, "aperture": 1.8, "sensor": "micro four thirds"},
            {"equivalent_mm": 50.0, "equivalent_aperture": 3.6},
            source="times two",
        ),
        Example({"focal_mm": 50, "crop_factor": 1.6}, {"equivalent_mm": 80.0}, source="50 * 1.6"),
        Refusal({"focal_mm": 50}, "either"),
    ),
    reply={
        "equivalent_aperture": "It equals {equivalent_mm} mm at f/{equivalent_aperture} on full frame.",
        "": "It equals {equivalent_mm} mm on full frame, at a crop factor of {crop_factor}.",
    },
)
def photo_convert_focal(
    focal_mm: Annotated[float, About("Focal length in mm", 35, minimum=1e-30, maximum=1e5)],
    sensor: Annotated[
        Literal["full frame", "APS-C", "APS-C Canon", "micro four thirds", "1 inch"] | None, About("Sensor size")
    ] = None,
    crop_factor: Annotated[
        float | None, About("Crop factor, instead of a sensor", 1.6, minimum=1e-30, maximum=100)
    ] = None,
    aperture: Annotated[float | None, About("f-number", 1.8, minimum=1e-30, maximum=1000)] = None,
) -> FocalLength:
    """Convert a focal length, and an aperture, to the equivalent with the same view on full frame (35 mm film)."""
    if (sensor is None) == (crop_factor is None):
        raise ToolError("Give either sensor or crop_factor.")
    factor = crop_factor or _CROPS[sensor or "full frame"]
    return {
        "equivalent_mm": tidy(focal_mm * factor),
        "equivalent_aperture": aperture and tidy(aperture * factor),
        "crop_factor": factor,
    }


class DepthOfField(TypedDict):
    """Depth of field."""

    near_m: Annotated[float, About("Near limit of sharpness")]
    far_m: Annotated[float | None, About("Far limit of sharpness; null for infinity")]
    depth_m: Annotated[float | None, About("Depth of field; null if infinite")]
    hyperfocal_m: Annotated[
        float, About("Hyperfocal distance: focused there, everything from half of it to infinity is sharp")
    ]


@tool(
    tags="depth of field hyperfocal distance focus sharp near far limit aperture focal length photo camera lens",
    use_when=(
        "Depth of field of a 50 mm lens at f/2.8, subject 3 m away, full frame",
        "Hyperfocal distance for 24 mm at f/11",
        "From where to where is it sharp at 85 mm, f/1.8, 2 metres?",
    ),
    examples=(
        Example(
            {"focal_mm": 50, "aperture": 2.8, "subject_m": 3},
            {"hyperfocal_m": 29.811905, "near_m": 2.729456, "far_m": 3.330077},
            source="H = f^2 / (N c) + f; s (H - f) / (H + s - 2 f); s (H - f) / (H - s)",
            tolerance=1e-6,
        ),
        Example(
            {"focal_mm": 24, "aperture": 11, "subject_m": 2}, {"far_m": None}, source="beyond the hyperfocal distance"
        ),
        Refusal({"focal_mm": 50, "aperture": 2.8, "subject_m": 0.01}, "focal length"),
    ),
    reply={
        "far_m": (
            "It is sharp from {near_m} m to {far_m} m, a depth of field of {depth_m} "
            "m; the hyperfocal distance is {hyperfocal_m} m."
        ),
        "": "It is sharp from {near_m} m to infinity; the hyperfocal distance is {hyperfocal_m} m.",
    },
)
def photo_compute_depth(
    focal_mm: Annotated[float, About("Focal length in mm", 50, minimum=1e-30, maximum=1e5)],
    aperture: Annotated[float, About("f-number", 2.8, minimum=1e-30, maximum=1000)],
    subject_m: Annotated[float, About("Distance of the subject in metres", 3, minimum=1e-30, maximum=1e6)] = 10,
    circle_mm: Annotated[
        float, About("Circle of confusion; 0.03 on full frame, 0.02 on APS-C", 0.02, minimum=1e-30, maximum=10)
    ] = _CIRCLE_MM,
) -> DepthOfField:
    """Compute the depth of field of a lens at an aperture and a distance, and the hyperfocal distance."""
    focal = focal_mm / 1000
    if subject_m <= focal:
        raise ToolError("The subject must be farther away than the focal length.")
    hyperfocal = focal_mm**2 / (aperture * circle_mm) / 1000 + focal
    near = (hyperfocal - focal) * subject_m / (hyperfocal + subject_m - 2 * focal)
    far = (hyperfocal - focal) * subject_m / (hyperfocal - subject_m) if subject_m < hyperfocal else inf
    return {
        "near_m": tidy(near),
        "far_m": tidy(far) if far < _FAR_M else None,
        "depth_m": tidy(far - near) if far < _FAR_M else None,
        "hyperfocal_m": tidy(hyperfocal),
    }
