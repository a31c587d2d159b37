"""PDFs of structured content: reports, labels, certificates."""

from html import escape
from io import BytesIO
from typing import Annotated, Literal, NotRequired

from reportlab.graphics.charts.barcharts import VerticalBarChart
from reportlab.graphics.charts.linecharts import HorizontalLineChart
from reportlab.graphics.charts.piecharts import Pie
from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import HexColor
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, Paragraph
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, save, tool
from retinue_tools.documents._html_to_pdf import Styles, tables_of
from retinue_tools.documents._pdf_files import PAPERS_MM, POINTS_PER_MM
from retinue_tools.documents._typesetting import (
    ACCENT,
    BOLD,
    INK,
    MUTED,
    RULE,
    SANS,
    Layout,
    Paper,
    Typeset,
    missing_characters,
    register_fonts,
    styles,
    typeset,
)

_COLOURS = ("#1d4f91", "#d9822b", "#2e8b57", "#a23b72", "#6b7785", "#c9a227", "#3aa6b9", "#8c564b")
_LABELS_MM = {
    "3x7 A4": ("A4", 3, 7, 63.5, 38.1, 7.2, 15.15, 2.5, 0.0),
    "2x7 A4": ("A4", 2, 7, 99.1, 38.1, 4.65, 15.15, 2.5, 0.0),
    "2x4 A4": ("A4", 2, 4, 99.1, 67.7, 4.65, 13.0, 2.5, 0.0),
    "3x10 Letter": ("Letter", 3, 10, 66.7, 25.4, 4.8, 12.7, 3.1, 0.0),
    "2x5 Letter": ("Letter", 2, 5, 101.6, 50.8, 4.0, 12.7, 4.7, 0.0),
}
"""Label sheets: paper, columns, rows, width, height, left and top edge, horizontal and vertical gaps."""

Line = Annotated[str, About("One line", "Harbour office", max_length=80)]


class Section(TypedDict):
    """A section of a report, in the order heading, text, table, chart."""

    heading: NotRequired[Annotated[str, About("Heading of the section", "Results", max_length=200)]]
    text: NotRequired[Annotated[str, About("Paragraphs, separated by empty lines", "Levels rose.", max_length=50_000)]]
    table: NotRequired[
        Annotated[
            list[list[Annotated[str, About("A cell", "12:04", max_length=2000)]]],
            About(
                "Rows of cells, the first one contains the headings",
                [["Port", "Time"], ["Husum", "12:04"]],
                min_items=1,
                max_items=2000,
            ),
        ]
    ]
    chart: NotRequired[Annotated[Literal["bar", "line", "pie"], About("Kind of chart of labels and values")]]
    labels: NotRequired[
        Annotated[
            list[Annotated[str, About("A label", "Mon", max_length=60)]],
            About("Labels of the chart, one for each value", ["Mon", "Tue"], min_items=1, max_items=50),
        ]
    ]
    values: NotRequired[
        Annotated[
            list[Annotated[float, About("A value", 2.5, minimum=-1e12, maximum=1e12)]],
            About("Values of the chart, one for each label", [2.5, 0.4], min_items=1, max_items=50),
        ]
    ]


@tool(
    tags="pdf report create document sections table chart bar pie line typeset summary",
    use_when=(
        "Create a PDF report with a table and a bar chart",
        "Make a monthly report with sections as PDF",
        "Put these results into a printable document",
    ),
    examples=(
        Example(
            {
                "title": "Tides in March",
                "subtitle": "Harbour office",
                "sections": [
                    {"heading": "Summary", "text": "Levels rose.\n\nNo flood."},
                    {"heading": "Ports", "table": [["Port", "Time"], ["Husum", "12:04"]]},
                    {"heading": "Levels", "chart": "bar", "labels": ["Mon", "Tue"], "values": [2.5, 0.4]},
                ],
            },
            {"pages": 1, "file": "report.pdf", "missing_characters": []},
            source="by hand",
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Tides in March"}, {"count": 1}),
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Husum"}, {"count": 1}),
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Tue"}, {"count": 1}),
            ),
        ),
        Example(
            {
                "title": "Shares",
                "sections": [{"chart": "pie", "labels": ["A", "B"], "values": [1, 3]}],
                "paper": "Letter",
            },
            {"pages": 1},
            source="by hand",
            then=(ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"title": "Shares", "page_width_mm": 215.9}),),
        ),
        Refusal(
            {"title": "x", "sections": [{"chart": "bar", "labels": ["A"], "values": [1, 2]}]}, "one value for each"
        ),
        Refusal({"title": "x", "sections": [{}]}, "is empty"),
    ),
    reply={
        "missing_characters": "The report; it has no letters for {missing_characters}: {file}",
        "": "The report \u201c{args.title}\u201d with {pages|page}: {file}",
    },
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
)
def pdf_create_report(
    title: Annotated[str, About("Title on the first page", "Tides in March", min_length=1, max_length=200)],
    sections: Annotated[
        list[Section],
        About("Sections in order", [{"heading": "Summary", "text": "Levels rose."}], min_items=1, max_items=100),
    ],
    subtitle: Annotated[str, About("Line below the title: author, date", max_length=300)] = "",
    footer: Annotated[str, About("Footer of each page", max_length=100)] = "",
    paper: Paper = "A4",
) -> Typeset:
    """Create a PDF report of sections with headings, text, tables and bar, line or pie charts.

    Use it to present results in print. Returns the PDF and its number of pages; use pdf_from_markdown for other text.
    """
    look = styles(10.5)
    flowables: list[Flowable] = [Paragraph(escape(title, quote=False), look["title"])]
    if subtitle:
        flowables.append(Paragraph(escape(subtitle, quote=False), look["subtitle"]))
    for number, section in enumerate(sections, 1):
        flowables += _section(number, section, look)
    printed = f"{title} {subtitle} {footer} {sections}"
    return typeset("report.pdf", flowables, printed, Layout(paper, title=title, footer=footer))


@tool(
    tags="pdf labels address stickers sheet print avery mailing names",
    use_when=(
        "Make a sheet of address labels, 3 by 7 on A4",
        "Print name labels for 30 guests",
        "Create labels for a Letter sheet of 3 by 10",
        "Print address labels",
        "Name tags for the guests",
    ),
    examples=(
        Example(
            {"labels": [["Harbour office", "Quay 1"], ["Lighthouse", "Rock 2"]], "sheet": "3x7 A4"},
            {"pages": 1, "file": "labels.pdf"},
            source="the first label begins 7.2 mm, 20.4 points, from the left, and its text 4 mm, 11.3 points, further",
            tolerance=0.04,
            then=(
                ExampleCall(
                    "pdf_search_text",
                    {"file": "{made}", "query": "Harbour office"},
                    {"count": 1, "matches": [{"left": 32.6}]},
                ),
            ),
        ),
        Example(
            {"labels": [["A"]], "sheet": "3x10 Letter", "copies": 30, "skip": 1},
            {"pages": 2},
            source="30 labels on a sheet, of which one is used up",
        ),
        Refusal({"labels": [["x"]], "skip": 25}, "has 21 labels"),
    ),
    reply={
        "missing_characters": "The labels on {pages|sheet}; there are no letters for {missing_characters}: {file}",
        "": "The labels on {pages|sheet}: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
)
def pdf_create_labels(
    labels: Annotated[
        list[Annotated[list[Line], About("Lines of a label", ["Harbour office", "Quay 1"], min_items=1, max_items=8)]],
        About("Labels as lists of lines", [["Harbour office", "Quay 1"]], min_items=1, max_items=2000),
    ],
    sheet: Annotated[
        Literal["3x7 A4", "2x7 A4", "2x4 A4", "3x10 Letter", "2x5 Letter"],
        About("Columns by rows and paper size of the label sheets"),
    ] = "3x7 A4",
    copies: Annotated[int, About("Number of copies of each label", minimum=1, maximum=500)] = 1,
    skip: Annotated[int, About("Number of used labels on the first sheet", minimum=0, maximum=100)] = 0,
) -> Typeset:
    """Create a PDF of address or name labels for common sheets of labels.

    Use it for mailings. Print it at 100 %, without fitting it to the page. Lines that are too long are made smaller.
    Returns the PDF and its number of sheets.
    """
    paper, columns, rows = _LABELS_MM[sheet][:3]
    if skip >= columns * rows:
        raise ToolError(f"The sheet {sheet} has {columns * rows} labels: skip must be less.")
    printed = [lines for lines in labels for _ in range(copies)]
    if len(printed) > 5000:
        raise ToolError(f"That is {len(printed):,} labels; the maximum is 5,000. Print fewer copies.")
    register_fonts()
    target = BytesIO()
    canvas = Canvas(target, pagesize=tuple(side * POINTS_PER_MM for side in PAPERS_MM[paper]))
    for place, lines in enumerate(printed, skip):
        if place > skip and place % (columns * rows) == 0:
            canvas.showPage()
        _draw_label(canvas, sheet, place % (columns * rows), lines)
    canvas.save()
    text = "".join(line for lines in labels for line in lines)
    return {
        "file": save("labels.pdf", target.getvalue()),
        "pages": (skip + len(printed) - 1) // (columns * rows) + 1,
        "missing_characters": missing_characters(text),
    }


@tool(
    tags="pdf certificate award diploma course completion attendance create print",
    use_when=(
        "Make a certificate of attendance",
        "Create a diploma for the winner as PDF",
        "Print a course certificate with a date and two signatures",
        "Award certificate for the winner",
    ),
    examples=(
        Example(
            {
                "heading": "Certificate of attendance",
                "recipient": "Ann Other",
                "text": "has taken part in the course Reading the tides.",
                "date": "3 March 2026",
                "signatures": ["Head of course"],
            },
            {"pages": 1, "file": "certificate.pdf", "missing_characters": []},
            source="A4 that lies",
            then=(
                ExampleCall("pdf_search_text", {"file": "{made}", "query": "Ann Other"}, {"count": 1}),
                ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 297.0, "page_height_mm": 210.0}),
            ),
        ),
        Example(
            {"heading": "Award", "recipient": "Ann Other", "text": "for calm.", "paper": "Letter", "color": "#7a1f3d"},
            {"pages": 1},
            source="Letter that lies",
            then=(ExampleCall("pdf_read_metadata", {"file": "{made}"}, {"page_width_mm": 279.4}),),
        ),
        Refusal({"heading": "", "recipient": "A", "text": "b"}, "at least 1"),
    ),
    reply={
        "missing_characters": "The certificate; it has no letters for {missing_characters}: {file}",
        "": "The certificate for {args.recipient}: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
)
def pdf_create_certificate(
    heading: Annotated[
        str, About("Heading of the certificate", "Certificate of attendance", min_length=1, max_length=60)
    ],
    recipient: Annotated[str, About("Recipient", "Ann Other", min_length=1, max_length=80)],
    text: Annotated[
        str, About("Reason for the certificate", "has taken part in the course.", min_length=1, max_length=600)
    ],
    date: Annotated[str, About("Place and date to print", max_length=80)] = "",
    signatures: Annotated[
        list[Annotated[str, About("Text below a signature line", "Head of course", max_length=60)]] | None,
        About("Signatories", ["Head of course"], max_items=3),
    ] = None,
    paper: Annotated[Literal["A4", "Letter"], About("Paper size, in landscape orientation")] = "A4",
    color: Annotated[
        str, About("Colour of frame and heading as RRGGBB", "#7a1f3d", pattern=r"^#[0-9A-Fa-f]{6}$", max_length=7)
    ] = "#1d4f91",
) -> Typeset:
    """Create a certificate on one page: a frame, a heading, the recipient's name, the reason, date and signatures.

    Use it for courses, awards and acknowledgements. Returns the PDF.
    """
    register_fonts()
    height, width = (side * POINTS_PER_MM for side in PAPERS_MM[paper])
    target = BytesIO()
    canvas = Canvas(target, pagesize=(width, height))
    canvas.setTitle(f"{heading}: {recipient}")
    canvas.setStrokeColor(HexColor(color))
    for inset, thickness in ((24, 3), (31, 0.8)):
        canvas.setLineWidth(thickness)
        canvas.rect(inset, inset, width - 2 * inset, height - 2 * inset)
    _centre(canvas, heading, BOLD, 34, height * 0.74, color)
    _centre(canvas, recipient, SANS, 28, height * 0.57, INK)
    canvas.setStrokeColor(HexColor(RULE))
    canvas.line(width * 0.28, height * 0.545, width * 0.72, height * 0.545)
    body = Paragraph(f'<para alignment="center">{escape(text, quote=False)}</para>', styles(13)["body"])
    _, high = body.wrap(width * 0.66, height * 0.3)
    body.drawOn(canvas, width * 0.17, height * 0.5 - high)
    _draw_signatures(canvas, date, signatures or [], width)
    canvas.save()
    lacking = missing_characters("".join((heading, recipient, text, date, *(signatures or ()))))
    return {"file": save("certificate.pdf", target.getvalue()), "pages": 1, "missing_characters": lacking}


def _section(number: int, section: Section, look: Styles) -> list[Flowable]:
    flowables: list[Flowable] = []
    for paragraph in filter(str.strip, section.get("text", "").replace("\r\n", "\n").split("\n\n")):
        lines = (escape(line, quote=False) for line in paragraph.strip().split("\n"))
        flowables.append(Paragraph("<br/>".join(lines), look["body"]))
    if table := section.get("table"):
        flowables += tables_of([[escape(cell, quote=False) for cell in row] for row in table], look)
    if kind := section.get("chart"):
        flowables.append(_chart(number, kind, section.get("labels", []), section.get("values", [])))
    if heading := section.get("heading"):
        title = Paragraph(escape(heading, quote=False), look["h2"])
        flowables = [KeepTogether([title, *flowables[:1]]), *flowables[1:]]
    if not flowables:
        raise ToolError(f"Section {number} is empty. Give it a heading, text, table or chart.")
    return flowables


def _chart(number: int, kind: str, labels: list[str], values: list[float]) -> Flowable:
    if not labels or len(labels) != len(values):
        raise ToolError(
            f"The chart of section {number} has {len(labels)} labels and {len(values)} values. "
            "Give one value for each label."
        )
    drawing = Drawing(440, 220)
    if kind == "pie":
        drawing.add(_pie(number, labels, values))
        return drawing
    chart = VerticalBarChart() if kind == "bar" else HorizontalLineChart()
    chart.x, chart.y, chart.width, chart.height = 45, 35, 380, 170
    chart.data = [tuple(values)]
    chart.categoryAxis.categoryNames = labels
    chart.categoryAxis.labelAxisMode = "low"
    chart.categoryAxis.labels.fontName = chart.valueAxis.labels.fontName = SANS
    chart.categoryAxis.labels.fontSize = chart.valueAxis.labels.fontSize = 8
    if len(labels) > 8:
        chart.categoryAxis.labels.angle, chart.categoryAxis.labels.boxAnchor = 40, "ne"
    if kind == "bar":
        chart.bars[0].fillColor, chart.bars[0].strokeColor = HexColor(ACCENT), None
        chart.valueAxis.forceZero = 1
    else:
        chart.lines[0].strokeColor, chart.lines[0].strokeWidth = HexColor(ACCENT), 2
    drawing.add(chart)
    return drawing


def _pie(number: int, labels: list[str], values: list[float]) -> Pie:
    if min(values) < 0 or not sum(values) > 0:
        raise ToolError(f"The pie of section {number} needs values of 0 or more, not all of them 0.")
    pie = Pie()
    pie.x, pie.y, pie.width, pie.height = 140, 25, 160, 160
    pie.data, pie.labels, pie.sideLabels = values, labels, 1
    pie.slices.fontName, pie.slices.fontSize, pie.slices.strokeColor = SANS, 8, HexColor("#ffffff")
    for index in range(len(values)):
        pie.slices[index].fillColor = HexColor(_COLOURS[index % len(_COLOURS)])
    return pie


def _draw_label(canvas: Canvas, sheet: str, place: int, lines: list[str]) -> None:
    paper, columns, _, width, height, left, top, across, down = _LABELS_MM[sheet]
    row, column = divmod(place, columns)
    x = (left + column * (width + across) + 4) * POINTS_PER_MM
    y = (PAPERS_MM[paper][1] - top - row * (height + down)) * POINTS_PER_MM
    room = (width - 8) * POINTS_PER_MM
    leading = min(15.0, (height - 6) * POINTS_PER_MM / len(lines))
    y -= (height * POINTS_PER_MM - leading * len(lines)) / 2
    canvas.setFillColor(HexColor(INK))
    for line in lines:
        y -= leading
        wide = pdfmetrics.stringWidth(line, SANS, 1)
        canvas.setFont(SANS, min(leading * 0.75, room / wide if wide else leading))
        canvas.drawString(x, y + leading * 0.25, line)


def _centre(canvas: Canvas, text: str, font: str, size: float, y: float, color: str) -> None:
    """Draw a centred line on a landscape page, smaller if it would not fit."""
    width = canvas._pagesize[0]
    canvas.setFont(font, min(size, 0.8 * width / max(pdfmetrics.stringWidth(text, font, 1), 1)))
    canvas.setFillColor(HexColor(color))
    canvas.drawCentredString(width / 2, y, text)


def _draw_signatures(canvas: Canvas, date: str, signatures: list[str], width: float) -> None:
    """Draw the date at the left, and signature lines beside it."""
    places = ([date] if date else []) + signatures
    room = (width - 140) / max(len(places), 1)
    canvas.setFont(SANS, 10)
    for index, text in enumerate(places):
        middle = 70 + room * (index + 0.5)
        canvas.setFillColor(HexColor(MUTED))
        canvas.setStrokeColor(HexColor(RULE))
        if not (date and index == 0):
            canvas.line(middle - room * 0.4, 92, middle + room * 0.4, 92)
        canvas.drawCentredString(middle, 76, text)
