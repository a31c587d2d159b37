"""Common style of all charts: fonts, colours, the frame of title, subtitle and source, and output files.

Sizes are CSS pixels (1/96 inch); PNG files have two pixels for each of them.
"""

import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.figure import Figure
from typing_extensions import TypedDict

from retinue.sdk import About, OutputFile, save

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6A4C93", "#7A8794")
"""The palette of Okabe and Ito, which is distinguishable with all kinds of colour vision, without its yellow and black.

"""
INK, GREY, LIGHT, GRID = "#1F2933", "#5F6B76", "#C5CDD5", "#E4E8EC"
RISE, FALL = "#0072B2", "#D55E00"
DPI = 96
_SHARPNESS = {"png": 2, "svg": 1}
_SIDE, _EDGE = 18, 14
_LARGEST = 2400
_TITLE, _SUBTITLE, _SOURCE = (15.0, 25), (10.5, 19), (8.5, 16)
"""Points and line height in pixels."""
_FALLBACKS = (
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
)

Title = Annotated[str, About("Title above the chart", "Sales by region", max_length=200)]
FileFormat = Annotated[Literal["png", "svg"], About("PNG picture at double resolution, or SVG drawing")]
Label = Annotated[str, About("Label", "North", max_length=120)]
Value = Annotated[float, About("Number", 12.5, minimum=-1e15, maximum=1e15)]
Gap = Annotated[float | None, About("Number, or null for a gap", 12.5, minimum=-1e15, maximum=1e15)]


class Layout(TypedDict, total=False):
    """Texts around a chart, and its size."""

    subtitle: Annotated[str, About("Line below the title, such as the unit", "Million euro, 2026", max_length=300)]
    source: Annotated[str, About("Source of the numbers", "Source: annual report", max_length=300)]
    x_label: Annotated[str, About("Name of the horizontal axis", "Month", max_length=100)]
    y_label: Annotated[str, About("Name of the vertical axis", "Euro", max_length=100)]
    width: Annotated[int, About("Width in pixels", 900, minimum=240, maximum=2400)]
    height: Annotated[int, About("Height in pixels", 520, minimum=180, maximum=2400)]


Around = Annotated[Layout | None, About("Subtitle, source, names of axes, size", {"subtitle": "Million euro"})]


class Picture(TypedDict):
    """A chart as a file."""

    file: OutputFile
    width: Annotated[int, About("Width of the picture in pixels")]
    height: Annotated[int, About("Height of the picture in pixels")]


@dataclass(frozen=True, slots=True)
class Frame:
    """Frame of a chart as requested by the caller."""

    title: str
    layout: Layout | None
    file_format: str

    def size(self, default: tuple[int, int]) -> tuple[int, int]:
        """Return width and height in pixels."""
        layout = self.layout or {}
        return layout.get("width", min(default[0], _LARGEST)), layout.get("height", min(default[1], _LARGEST))


def draw(name: str, frame: Frame, plot: Callable[[Any], None], size: tuple[int, int] = (900, 520)) -> Picture:
    """Draw a chart with `plot`, which gets a figure whose layout leaves room for the frame. Returns the file."""
    width, height = frame.size(size)
    sharpness = _SHARPNESS[frame.file_format]
    with mpl.rc_context(_style()):
        figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, layout="constrained")
        top, bottom = _write_frame(figure, frame, width, height)
        inside = (_SIDE / width, bottom / height, 1 - 2 * _SIDE / width, max(top - bottom, 60) / height)
        figure.get_layout_engine().set(rect=inside, w_pad=0.02, h_pad=0.02)
        plot(figure)
        _name_axes(figure, frame.layout or {})
        target = io.BytesIO()
        metadata = {"Date": None} if frame.file_format == "svg" else {"Software": None}
        figure.savefig(target, format=frame.file_format, dpi=DPI * sharpness, metadata=metadata)
    return {
        "file": save(f"{name}.{frame.file_format}", target.getvalue()),
        "width": width * sharpness,
        "height": height * sharpness,
    }


def axes_of(figure: Any, grid: Literal["x", "y", "both", "none"] = "y") -> Any:
    """Return the single pair of axes of a chart, with light grid lines along its values."""
    axes = figure.add_subplot()
    dress(axes, grid)
    return axes


def dress(axes: Any, grid: Literal["x", "y", "both", "none"]) -> None:
    """Remove distracting lines and draw a light grid."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    if grid != "none":
        axes.grid(axis=grid)
    axes.tick_params(length=0, pad=6)
    for axis, lines in ((axes.xaxis, grid in ("x", "both")), (axes.yaxis, grid in ("y", "both"))):
        if lines:
            axis.set_major_formatter(lambda value, _: compact(value))


def legend(figure: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Add a legend in rows below the title; the chart makes room for it."""
    width, height = (float(side) * DPI for side in figure.get_size_inches())
    names = [short(label, 40) for label in labels]
    columns = max(1, min(len(names), int(width // (max(map(len, names), default=1) * 7.5 + 46))))
    left, bottom, across, upward = figure.get_layout_engine().get()["rect"]
    drawn = figure.legend(
        handles, names, loc="upper left", bbox_to_anchor=(left, bottom + upward), ncols=columns, borderaxespad=0
    )
    drawn.set_in_layout(False)
    rows = -(-len(names) // columns)
    figure.get_layout_engine().set(rect=(left, bottom, across, max(upward - (20 * rows + 10) / height, 0.1)))


def colours(count: int) -> list[str]:
    """Return this many colours; they repeat after eight."""
    return [PALETTE[number % len(PALETTE)] for number in range(count)]


def number(value: float) -> str:
    """Format a number with thousands separators and only as many digits as necessary."""
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-4:
        return f"{value:.3g}".replace("-", "\u2212")
    digits = 0 if abs(value) >= 10_000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 1 else 4
    text = f"{value:,.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "0") else text.replace("-", "\u2212")


def compact(value: float) -> str:
    """Format a number for an axis: 2.5M rather than 2,500,000."""
    for size, suffix in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if abs(value) >= size * 0.9995:
            return number(round(value / size, 2)) + suffix
    return number(float(f"{value:.6g}"))


def percent(share: float) -> str:
    """Format a share as percent."""
    return f"{100 * share:.1f}%" if abs(share) < 0.0995 and share else f"{100 * share:.0f}%"


def short(text: str, most: int = 28) -> str:
    """Return a text on one line, truncated to fit."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "\u2026"


def wrap(text: str, width: int = 18, lines: int = 2) -> str:
    """Wrap a text to a few short lines."""
    return "\n".join(textwrap.wrap(" ".join(text.split()), width, max_lines=lines, placeholder="\u2026") or [""])


def text_on(colour: Any) -> str:
    """Return dark or white, depending on which is more readable on a colour (relative luminance of WCAG 2.2)."""
    red, green, blue, _ = mpl.colors.to_rgba(colour)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return INK if 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.24 else "white"


def _write_frame(figure: Any, frame: Frame, width: int, height: int) -> tuple[float, float]:
    """Write title, subtitle and source. Returns the top and bottom of the remaining area, in pixels from below."""
    layout = frame.layout or {}
    top = float(height - _EDGE)
    texts = ((frame.title, _TITLE, INK, "bold"), (layout.get("subtitle", ""), _SUBTITLE, GREY, "normal"))
    for text, (points, line_height), colour, weight in texts:
        for line in _lines(text, width, points * (1.12 if weight == "bold" else 1)):
            figure.text(_SIDE / width, top / height, line, size=points, color=colour, weight=weight, va="top")
            top -= line_height
    top -= 8 if top < height - _EDGE else 0
    bottom = float(_EDGE)
    for line in reversed(_lines(layout.get("source", ""), width, _SOURCE[0])):
        figure.text(_SIDE / width, bottom / height, line, size=_SOURCE[0], color=GREY, va="bottom")
        bottom += _SOURCE[1]
    return top, bottom + (6 if bottom > _EDGE else 0)


def _lines(text: str, width: int, points: float) -> list[str]:
    """Break a text into lines that fit: a letter is about 0.6 of its size wide, and a point is 4/3 of a pixel."""
    room = max(int((width - 2 * _SIDE) / (points * 0.6 * 4 / 3)), 10)
    return textwrap.wrap(" ".join(text.split()), room, max_lines=3, placeholder="\u2026")


def _name_axes(figure: Any, layout: Layout) -> None:
    if figure.axes:
        axes = figure.axes[0]
        if layout.get("x_label", "").strip():
            axes.set_xlabel(short(layout["x_label"], 90))
        if layout.get("y_label", "").strip():
            axes.set_ylabel(short(layout["y_label"], 90))


@cache
def _families() -> list[str]:
    """Return the sans-serif font of the library, followed by the system's fonts for other scripts."""
    there = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _FALLBACKS if name in there)]


def _style() -> dict[str, Any]:
    """Settings of the library. Dollar signs in labels do not start formulas."""
    return {
        "font.family": _families(), "font.size": 9.5, "text.parse_math": False, "text.color": INK,
        "axes.edgecolor": LIGHT, "axes.labelcolor": GREY, "axes.labelsize": 9.5, "axes.labelpad": 8,
        "axes.linewidth": 1, "axes.unicode_minus": True, "xtick.color": GREY, "ytick.color": GREY,
        "xtick.labelsize": 9.5, "ytick.labelsize": 9.5, "grid.color": GRID, "grid.linewidth": 1,
        "legend.frameon": False, "legend.fontsize": 9.5, "legend.labelcolor": INK, "legend.handlelength": 1.1,
        "legend.handleheight": 0.9, "legend.handletextpad": 0.5, "legend.columnspacing": 1.6, "legend.borderpad": 0,
        "legend.borderaxespad": 0.4, "lines.linewidth": 2.2, "lines.solid_capstyle": "round",
        "patch.linewidth": 0, "svg.fonttype": "path", "svg.hashsalt": "chart", "figure.facecolor": "white",
        "axes.facecolor": "white", "savefig.facecolor": "white", "path.simplify": True,
    }  # fmt: skip
