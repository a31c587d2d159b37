"""Colour spaces and differences. Colours are red, green and blue in sRGB (IEC 61966-2-1), each 0 to 1."""

import math
from collections.abc import Sequence

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

_TO_XYZ: Matrix = (
    (0.4123907992659593, 0.357584339383878, 0.1804807884018343),
    (0.21263900587151024, 0.715168678767756, 0.07219231536073371),
    (0.01933081871559182, 0.11919477979462598, 0.9505321522496607),
)
"""Linear sRGB to CIE XYZ under D65, from CSS Color 4, section 18."""
_WHITE: Triple = (0.9504559270516716, 1.0, 1.0890577507598784)
_TO_LMS: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_LMS_TO_OKLAB: Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
"""B. Ottosson, A perceptual color space for image processing (2020)."""
_OKLAB_TO_LMS: Matrix = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_LMS_TO_LINEAR: Matrix = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)
DEFICIENCIES: dict[str, Matrix] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    "achromatopsia": ((0.2126, 0.7152, 0.0722),) * 3,
}
"""Perception of linear sRGB: Machado, Oliveira, Fernandes (2009) at full severity; the last matrix is luminance only.

"""


def times(matrix: Matrix, vector: Sequence[float]) -> Triple:
    """Multiply a matrix by a vector."""
    a, b, c = (sum(factor * part for factor, part in zip(row, vector, strict=True)) for row in matrix)
    return a, b, c


def linear(part: float) -> float:
    """Return an sRGB channel without its transfer curve."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def transfer_curve(part: float) -> float:
    """Return a linear channel, clipped to 0 to 1, with the transfer curve of sRGB."""
    part = min(max(part, 0.0), 1.0)
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def luminance(color: Sequence[float]) -> float:
    """Return the relative luminance, 0 to 1 (WCAG 2.2, whose threshold of 0.03928 makes no difference in 8 bits)."""
    red, green, blue = map(linear, color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the contrast ratio, 1 to 21 (WCAG 2.2)."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def lab(color: Sequence[float]) -> Triple:
    """Convert to CIE L*a*b* under D65."""
    xyz = times(_TO_XYZ, [linear(part) for part in color])
    x, y, z = (_lab_curve(part / white) for part, white in zip(xyz, _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _lab_curve(part: float) -> float:
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


def xyz(color: Sequence[float]) -> Triple:
    """Convert to CIE XYZ under D65, with white at Y = 1."""
    return times(_TO_XYZ, [linear(part) for part in color])


def oklab(color: Sequence[float]) -> Triple:
    """Convert to Oklab."""
    return times(_LMS_TO_OKLAB, [part ** (1 / 3) for part in times(_TO_LMS, [linear(part) for part in color])])


def from_oklab(color: Sequence[float]) -> Triple:
    """Return the nearest displayable colour of an Oklab colour, with clipped channels."""
    red, green, blue = times(_LMS_TO_LINEAR, [part**3 for part in times(_OKLAB_TO_LMS, color)])
    return transfer_curve(red), transfer_curve(green), transfer_curve(blue)


def polar(color: Triple) -> Triple:
    """Return lightness, chroma and hue in degrees of Lab or Oklab. The hue of grey is 0."""
    lightness, a, b = color
    chroma = math.hypot(a, b)
    return lightness, chroma, math.degrees(math.atan2(b, a)) % 360 if chroma > 1e-4 else 0.0


def deficient(color: Sequence[float], kind: str) -> Triple:
    """Simulate a colour as seen with a colour vision deficiency."""
    red, green, blue = times(DEFICIENCIES[kind], [linear(part) for part in color])
    return transfer_curve(red), transfer_curve(green), transfer_curve(blue)


def difference(first: Triple, second: Triple) -> float:
    """Return the CIEDE2000 difference of two L*a*b* colours, after Sharma, Wu, Dalal (2005)."""
    chromas = [math.hypot(a, b) for _, a, b in (first, second)]
    mean_7 = (sum(chromas) / 2) ** 7
    stretch = 1 + 0.5 * (1 - math.sqrt(mean_7 / (mean_7 + 25**7)))
    (l1, c1, h1), (l2, c2, h2) = (_cylinder(color, stretch) for color in (first, second))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    delta_h = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn) / 2)
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    weight = _hue_weight(hue)
    scale_l = 1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2)
    scale_c, scale_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * weight
    spin = 60 * math.exp(-(((hue - 275) / 25) ** 2))
    rotation = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7)) * math.sin(math.radians(spin))
    parts = (l2 - l1) / scale_l, (c2 - c1) / scale_c, delta_h / scale_h
    return math.sqrt(max(0.0, sum(part * part for part in parts) + rotation * parts[1] * parts[2]))


def _cylinder(color: Triple, stretch: float) -> Triple:
    lightness, a, b = color
    a *= stretch
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def _hue_weight(hue: float) -> float:
    terms = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    return 1 + sum(factor * math.cos(math.radians(multiple * hue + shift)) for factor, multiple, shift in terms)
