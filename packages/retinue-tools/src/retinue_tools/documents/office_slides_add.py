"""Charts and tables on new slides of PowerPoint files."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION
from pptx.util import Pt
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue_tools.documents._office_blocks import Span
from retinue_tools.documents._office_files import SlideFile, refusing_damage, save_document
from retinue_tools.documents._office_files import slides as opened
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_samples import NOT_OFFICE, pptx
from retinue_tools.documents._office_slides_build import WIDE, add_slide, add_table, blank, deck_height, deck_width
from retinue_tools.documents._samples import FILE
from retinue_tools.documents.office_slides_create import TITLE_LAYOUTS, MadeSlides, drop_empty_placeholder

_COLOURS = ("0B5CAD", "E07B39", "2A9D8F", "8E6BBF", "C44536", "7A8794")
_TABLE_TOP = 1_600_000

Title = Annotated[str, About("Title of the slide", "Costs", max_length=300)]


class ChartSeries(TypedDict):
    """A data series of a chart."""

    name: Annotated[str, About("Name of the series", "2026", max_length=200)]
    values: Annotated[list[float], About("Values, one for each category", [12, 9.5], min_items=1, max_items=500)]


@tool(
    tags="pptx powerpoint chart slide add native bar line pie column graph",
    use_when=(
        "Add a slide with a bar chart of the sales",
        "Put a native line chart into the presentation",
        "Add a pie chart slide to talk.pptx",
    ),
    examples=(
        Example(
            {
                "file": FILE,
                "title": "Sales",
                "categories": ["North", "South"],
                "series": [{"name": "2025", "values": [10, 4]}, {"name": "2026", "values": [7, 5]}],
            },
            {"file": "slides.pptx", "slides": 2},
            source="by hand",
            files={FILE: pptx(("Tea", "Green"))},
            then=(ExampleCall("pptx_extract_text", {"file": "{made}"}, {"slides": [{"charts": 0}, {"charts": 1}]}),),
        ),
        Example(
            {"title": "Share", "categories": ["A", "B"], "series": [{"name": "x", "values": [1, 3]}], "kind": "pie"},
            {"slides": 1},
            source="by hand: a new presentation",
            then=(ExampleCall("pptx_extract_text", {"file": "{made}"}, {"slides": [{"title": "Share", "charts": 1}]}),),
        ),
        Refusal(
            {"title": "Sales", "categories": ["A", "B"], "series": [{"name": "x", "values": [1]}]}, "1 value for 2"
        ),
    ),
    reply="The presentation with the chart now has {slides|slide}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
    idempotent=False,
)
def pptx_add_chart_slide(
    title: Title,
    categories: Annotated[
        list[Annotated[str, About("Category", "North", max_length=200)]],
        About("Labels of the points", ["North", "South"], min_items=1, max_items=500),
    ],
    series: Annotated[
        list[ChartSeries], About("Numbers", [{"name": "2026", "values": [12, 9.5]}], min_items=1, max_items=12)
    ],
    kind: Annotated[
        Literal["column", "stacked_column", "bar", "line", "area", "pie", "doughnut"], About("Kind of chart")
    ] = "column",
    file: Annotated[SlideFile | None, About("ID of the PowerPoint file (.pptx); default: a new one", FILE)] = None,
) -> MadeSlides:
    """Add a slide with a native chart to a PowerPoint presentation, or to a new one.

    Use it if people should be able to edit the chart in PowerPoint. Returns the new file, in which the slide is the
    last one.
    """
    for one in series:
        if len(one["values"]) != len(categories):
            count = len(one["values"])
            raise ToolError(f"{one['name']} has {count} value{'s' * (count != 1)} for {len(categories)} categories.")
    if kind in ("pie", "doughnut") and len(series) > 1:
        raise ToolError(f"A {kind} chart supports only one series. Send one, or choose another kind.")

    def draw(slide: Any) -> None:
        frame = slide.shapes.add_chart(_kind(kind), *_place(slide), _chart_data(categories, series))
        _dress(frame.chart, kind, len(series))

    return _with_slide(file, title, draw)


@tool(
    tags="pptx powerpoint table slide add rows columns",
    use_when=(
        "Add a slide with this table",
        "Put the price list onto a PowerPoint slide",
        "Show these rows as a table in talk.pptx",
    ),
    examples=(
        Example(
            {"file": FILE, "title": "Prices", "rows": [["Item", "Euro"], ["Pot", "12"]]},
            {"file": "slides.pptx", "slides": 2},
            source="by hand",
            files={FILE: pptx(("Tea", "Green"))},
            then=(
                ExampleCall(
                    "pptx_extract_text",
                    {"file": "{made}"},
                    {"slides": [{"tables": 0}, {"tables": 1, "text": "Item\tEuro\nPot\t12"}]},
                ),
            ),
        ),
        Example(
            {"title": "Prices", "rows": [["Item"]]},
            {"slides": 1},
            source="by hand: a new presentation",
            then=(
                ExampleCall("pptx_extract_text", {"file": "{made}"}, {"slides": [{"title": "Prices", "text": "Item"}]}),
            ),
        ),
        Refusal(
            {"file": FILE, "title": "A", "rows": [["x"]]},
            "is not a valid PowerPoint file (.pptx)",
            files={FILE: NOT_OFFICE},
        ),
    ),
    reply="The presentation with the table now has {slides|slide}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
    idempotent=False,
)
def pptx_add_table_slide(
    title: Title,
    rows: Annotated[
        list[
            Annotated[
                list[Annotated[str, About("Cell", "12", max_length=1000)]], About("Row", ["Pot", "12"], min_items=1)
            ]
        ],
        About("Rows, the first one is the header", [["Item", "Euro"], ["Pot", "12"]], min_items=1, max_items=60),
    ],
    file: Annotated[SlideFile | None, About("ID of the PowerPoint file (.pptx); default: a new one", FILE)] = None,
) -> MadeSlides:
    """Add a slide with a table to a PowerPoint presentation, or to a new one, in a font size that fits.

    Use it for short tables of up to 60 rows. Returns the new file, in which the slide is the last one.
    """
    spans = [[(Span(xml_text(cell), bold=number == 0),) for cell in row] for number, row in enumerate(rows)]
    return _with_slide(file, title, lambda slide: add_table(slide, spans, _TABLE_TOP * deck_height(slide) // WIDE[1]))


def _with_slide(file: str | None, title: str, draw: Callable[[Any], None]) -> MadeSlides:
    """Return a presentation with an additional slide, on which `draw` draws below the title."""
    with refusing_damage("pptx") if file is None else opened(file) as found:
        deck = found or blank()
        slide = add_slide(deck, TITLE_LAYOUTS, xml_text(title))
        drop_empty_placeholder(slide)
        draw(slide)
        return {"file": save_document(deck, "slides.pptx"), "slides": len(deck.slides)}


def _place(slide: Any) -> tuple[int, int, int, int]:
    """Return left, top, width and height for a chart, in EMU."""
    width, height = deck_width(slide), deck_height(slide)
    return width * 6 // 100, height * 24 // 100, width * 88 // 100, height * 69 // 100


def _kind(kind: str) -> Any:
    return {
        "column": XL_CHART_TYPE.COLUMN_CLUSTERED,
        "stacked_column": XL_CHART_TYPE.COLUMN_STACKED,
        "bar": XL_CHART_TYPE.BAR_CLUSTERED,
        "line": XL_CHART_TYPE.LINE_MARKERS,
        "area": XL_CHART_TYPE.AREA_STACKED,
        "pie": XL_CHART_TYPE.PIE,
        "doughnut": XL_CHART_TYPE.DOUGHNUT,
    }[kind]


def _chart_data(categories: Sequence[str], series: Sequence[ChartSeries]) -> Any:
    content = CategoryChartData()
    content.categories = [xml_text(name) for name in categories]
    for one in series:
        content.add_series(xml_text(one["name"]), one["values"])
    return content


def _dress(chart: Any, kind: str, series: int) -> None:
    """Set colours, legend and fonts."""
    chart.font.size = Pt(14)
    chart.has_title = False
    round_chart = kind in ("pie", "doughnut")
    chart.has_legend = round_chart or series > 1
    if chart.has_legend:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.BOTTOM, False
    plot = chart.plots[0]
    if round_chart:
        plot.has_data_labels = True
        plot.data_labels.show_percentage, plot.data_labels.show_value = True, False
        return
    chart.value_axis.major_gridlines.format.line.color.rgb = RGBColor.from_string("D9DEE3")
    chart.value_axis.format.line.fill.background()
    if kind in ("column", "stacked_column", "bar"):
        plot.gap_width = 60
    for number, one in enumerate(plot.series):
        colour = RGBColor.from_string(_COLOURS[number % len(_COLOURS)])
        if kind == "line":
            one.format.line.color.rgb, one.smooth = colour, False
            one.marker.format.fill.solid()
            one.marker.format.fill.fore_color.rgb = colour
        else:
            one.format.fill.solid()
            one.format.fill.fore_color.rgb = colour
