"""PDF forms: listing, filling and creating fields."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Annotated, Any, Literal, NotRequired

from pypdf import PdfReader
from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import (
    PAPERS_MM,
    POINTS_PER_MM,
    MadePdf,
    made_pdf,
    reader_of,
    refusing_damage,
    writer_of,
)
from retinue_tools.documents._samples import FILE, FIRST_PAGE
from retinue_tools.documents._typesetting import BOLD, INK, SANS, missing_characters, register_fonts

_MOST = 1000
FIELD_ID = FIRST_PAGE + 2
_FORM = {
    FILE: samples.encode(
        samples.text_pdf(
            "Application", page=f"/Annots [{FIELD_ID} 0 R {FIELD_ID + 1} 0 R]",
            catalog=f"/AcroForm << /Fields [{FIELD_ID} 0 R {FIELD_ID + 1} 0 R] /DR << /Font << /Helv 3 0 R >> >> "
            "/DA (/Helv 0 Tf 0 g) >>",
            more=[
                "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /TU (Full name) /Ff 2 /MaxLen 40 "
                "/Rect [72 600 300 620] /DA (/Helv 12 Tf 0 g) >>",
                "<< /Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (size) /Opt [(S) (M) (L)] /V (M) "
                "/Rect [72 560 300 580] /DA (/Helv 12 Tf 0 g) >>",
            ],
        )
    )
}  # fmt: skip

_PLAIN = {FILE: samples.encode(samples.text_pdf("one"))}
_KINDS = {"/Tx": "text", "/Ch": "choice", "/Btn": "checkbox", "/Sig": "signature"}


class Field(TypedDict):
    """A field of a form."""

    name: Annotated[str, About("Full name, used for filling")]
    kind: Annotated[str, About("text, checkbox, radio, button, choice or signature")]
    label: Annotated[str | None, About("Label of the field")]
    value: Annotated[str | None, About("Current value")]
    choices: Annotated[list[str], About("Allowed values, if they are limited")]
    required: Annotated[bool, About("Whether the field is required")]
    read_only: Annotated[bool, About("Whether the field is read-only")]
    max_length: Annotated[int | None, About("Maximum number of characters")]
    page: Annotated[int | None, About("Page of the field")]


class Form(TypedDict):
    """The fields of a PDF."""

    fields: Annotated[list[Field], About("Fields in file order, at most 1000")]
    count: Annotated[int, About("Number of listed fields")]


class FieldValue(TypedDict):
    """Value of a field."""

    name: Annotated[str, About("Full name of the field", "name", min_length=1, max_length=300)]
    value: Annotated[str, About("Text or choice; true or false for a checkbox", "Harbour office", max_length=10_000)]


class NewField(TypedDict):
    """A field to create."""

    label: Annotated[str, About("Label before the field", "Full name", min_length=1, max_length=100)]
    name: Annotated[str, About("Name of the field", "full_name", pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=60)]
    kind: Annotated[Literal["text", "multiline", "checkbox", "choice"], About("Kind of field", "text")]
    choices: NotRequired[
        Annotated[
            list[Annotated[str, About("A choice", "M", min_length=1, max_length=60)]],
            About("For a choice: options", ["S", "M", "L"], min_items=1, max_items=50),
        ]
    ]


@tool(
    tags="pdf form fields list acroform names values choices",
    use_when=(
        "Which fields does this PDF form have?",
        "What was filled into the form?",
        "List the names of the form fields so that I can fill them",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "count": 2,
                "fields": [
                    {
                        "name": "name", "kind": "text", "label": "Full name", "value": None, "required": True,
                        "max_length": 40, "page": 1, "choices": [],
                    },
                    {"name": "size", "kind": "choice", "value": "M", "choices": ["S", "M", "L"], "required": False},
                ],
            },
            source="the fields that the file was written with (ISO 32000-1, section 12.7.3)",
            files=_FORM,
        ),
        Refusal({"file": FILE}, "no form", files=_PLAIN),
    ),
    reply={
        "fields": "The form has {count|field}: {fields}",
        "": "The PDF has no form fields.",
    },
    pace="normal",
)  # fmt: skip
@refusing_damage()
def pdf_list_form_fields(file: File) -> Form:
    """List the fields of a PDF form: names, kinds, labels, values and choices.

    Use it before pdf_fill_form, or to read a filled form. Forms that only use XFA are rejected.
    """
    fields = [field for field, _ in zip(_fields(reader_of(file)), range(_MOST), strict=False)]
    if not fields:
        raise ToolError(
            "The PDF has no form fields. Visible forms may consist only of lines: see pdf_add_header_footer."
        )
    return {"fields": fields, "count": len(fields)}


@tool(
    tags="pdf form fill complete fields values flatten acroform",
    use_when=(
        "Fill this PDF form with my details",
        "Tick the checkbox and enter the date in the form",
        "Fill the application and flatten it",
        "Fill in a form",
        "Complete a PDF form for me",
    ),
    examples=(
        Example(
            {"file": FILE, "values": [{"name": "name", "value": "Ann Other"}, {"name": "size", "value": "L"}]},
            {"pages": 1},
            source="by hand",
            files=_FORM,
            then=(
                ExampleCall(
                    "pdf_list_form_fields",
                    {"file": "{made}"},
                    {"fields": [{"name": "name", "value": "Ann Other"}, {"name": "size", "value": "L"}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "values": [{"name": "name", "value": "Ann Other"}], "flatten": True},
            {"pages": 1},
            source="by hand: the value is text of the page",
            files=_FORM,
            then=(ExampleCall("pdf_search_text", {"file": "{made}", "query": "Ann Other"}, {"count": 1}),),
        ),
        Refusal({"file": FILE, "values": [{"name": "age", "value": "4"}]}, "has no field age", files=_FORM),
        Refusal({"file": FILE, "values": [{"name": "size", "value": "XL"}]}, "S, M, L", files=_FORM),
    ),
    reply="The filled form: {file}",
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_fill_form(
    file: File,
    values: Annotated[
        list[FieldValue],
        About("Values of the fields", [{"name": "name", "value": "Harbour office"}], min_items=1, max_items=500),
    ],
    flatten: Annotated[
        bool, About("Whether to make the values part of the page, so that they cannot be changed")
    ] = False,
) -> MadePdf:
    """Fill fields of a PDF form; other fields are not changed.

    Use pdf_list_form_fields first for the names. Checkboxes accept true or false, and choices one of their values.
    Returns the new PDF.
    """
    writer = writer_of(file)
    known = {field["name"]: field for field in _fields(reader_of(file))}
    if not known:
        raise ToolError("The PDF has no form fields.")
    filled = {entry["name"]: _fitting(known, entry) for entry in values}
    for page in writer.pages:
        if "/Annots" in page:
            writer.update_page_form_field_values(page, filled, auto_regenerate=False, flatten=flatten)
    if flatten:
        writer.remove_annotations(subtypes="/Widget")
        writer.root_object.pop("/AcroForm", None)
    return made_pdf(writer, "filled.pdf")


@tool(
    tags="pdf form create make fillable fields checkbox text choice questionnaire",
    use_when=(
        "Make a fillable PDF form with name, address and a checkbox",
        "Create a questionnaire as PDF",
        "Build a registration form people can type into",
        "Make a sign-up form",
    ),
    examples=(
        Example(
            {
                "title": "Registration",
                "fields": [
                    {"label": "Full name", "name": "full_name", "kind": "text"},
                    {"label": "Size", "name": "size", "kind": "choice", "choices": ["S", "M"]},
                    {"label": "I agree", "name": "agree", "kind": "checkbox"},
                ],
            },
            {"pages": 1},
            source="by hand",
            then=(
                ExampleCall(
                    "pdf_list_form_fields",
                    {"file": "{made}"},
                    {
                        "count": 3,
                        "fields": [
                            {"name": "full_name", "kind": "text", "label": "Full name"},
                            {"name": "size", "kind": "choice", "choices": ["S", "M"]},
                            {"name": "agree", "kind": "checkbox"},
                        ],
                    },
                ),
                ExampleCall(
                    "pdf_fill_form",
                    {"file": "{made}", "values": [{"name": "agree", "value": "true"}]},
                    {"pages": 1},
                ),
            ),
        ),
        Example(
            {"title": "Notes", "fields": [{"label": "Text", "name": "t", "kind": "multiline"}], "paper": "Letter"},
            {"pages": 1},
            source="by hand",
        ),
        Refusal({"title": "x", "fields": [{"label": "Size", "name": "s", "kind": "choice"}]}, "choices"),
    ),
    reply="The PDF form \u201c{args.title}\u201d: {file}",
    tier="starter",
    pace="normal",
)
def pdf_create_form(
    title: Annotated[str, About("Heading of the form", "Registration", min_length=1, max_length=80)],
    fields: Annotated[
        list[NewField],
        About(
            "Fields from top to bottom",
            [{"label": "Full name", "name": "full_name", "kind": "text"}],
            min_items=1,
            max_items=200,
        ),
    ],
    paper: Annotated[Literal["A4", "Letter"], About("Size of the paper")] = "A4",
) -> MadePdf:
    """Create a PDF form with fields that people fill on screen.

    Use it for registrations and questionnaires: text, long text, checkboxes and choices with labels before them.
    Returns the PDF; pdf_list_form_fields reads the filled form.
    """
    _check_fields(title, fields)
    register_fonts()
    target, (width, height) = BytesIO(), (side * POINTS_PER_MM for side in PAPERS_MM[paper])
    canvas = Canvas(target, pagesize=(width, height))
    canvas.setTitle(title)
    canvas.setFillColor(HexColor(INK))
    canvas.setFont(BOLD, 20)
    canvas.drawString(60, height - 80, title)
    y, pages = height - 120, 1
    for field in fields:
        if y - _height(field) < 60:
            canvas.showPage()
            y, pages = height - 60, pages + 1
        _draw_field(canvas, field, y, width)
        y -= _height(field) + 18
    canvas.save()
    return {"file": save("form.pdf", target.getvalue()), "pages": pages}


def _fields(reader: PdfReader) -> Iterator[Field]:
    pages = _widget_pages(reader)
    for name, field in (reader.get_fields() or {}).items():
        kind = _KINDS.get(field.get("/FT"))
        if kind is None:
            continue
        flags = int(field.get("/Ff", 0))
        if kind == "checkbox":
            kind = "radio" if flags & 1 << 15 else "button" if flags & 1 << 16 else kind
        length = field.indirect_reference.get_object().get("/MaxLen") if field.indirect_reference else None
        yield {
            "name": name,
            "kind": kind,
            "label": field_text(field.get("/TU")),
            "value": field_text(field.get("/V")),
            "choices": _choices(field),
            "required": bool(flags & 2),
            "read_only": bool(flags & 1),
            "max_length": int(length) if length is not None else None,
            "page": pages.get(name),
        }


def _choices(field: Mapping[str, Any]) -> list[str]:
    """Return the values of a list, or the states of a button."""
    options = field.get("/Opt") if field.get("/FT") == "/Ch" else field.get("/_States_")
    values = (option[0] if isinstance(option, list) else option for option in options or ())
    return [str(value).removeprefix("/")[:300] for value in values][:500]


def _widget_pages(reader: PdfReader) -> dict[str, int]:
    """Return the first page that shows each field, by its full name."""
    found: dict[str, int] = {}
    for number, page in enumerate(reader.pages, 1):
        for reference in page.get("/Annots") or ():
            widget = reference.get_object()
            parts: list[str] = []
            while widget is not None and len(parts) < 20:
                if "/T" in widget:
                    parts.insert(0, str(widget["/T"]))
                widget = widget.get("/Parent")
            if parts:
                found.setdefault(".".join(parts), number)
    return found


def _fitting(known: Mapping[str, Field], entry: FieldValue) -> str:
    """Convert a value for a field. Raises `ToolError`."""
    field = known.get(entry["name"])
    if field is None:
        raise ToolError(f"The form has no field {entry['name']}. Available fields: {', '.join(list(known)[:30])}.")
    value = entry["value"]
    if field["kind"] in ("checkbox", "radio"):
        states = [state for state in field["choices"] if state != "Off"] or ["Yes"]
        states_by_word = {"true": states[0], "false": "Off", **{state: state for state in field["choices"]}}
        if value not in states_by_word:
            raise ToolError(f"The field {entry['name']} accepts true, false or one of {', '.join(field['choices'])}.")
        return f"/{states_by_word[value]}"
    if field["kind"] == "choice" and field["choices"] and value not in field["choices"]:
        raise ToolError(f"The field {entry['name']} accepts one of {', '.join(field['choices'][:30])}.")
    if field["kind"] not in ("text", "choice"):
        raise ToolError(f"The field {entry['name']} is a {field['kind']} and cannot be filled.")
    if field["max_length"] is not None and len(value) > field["max_length"]:
        raise ToolError(f"The field {entry['name']} accepts at most {field['max_length']} characters.")
    return value


def _check_fields(title: str, fields: list[NewField]) -> None:
    names = [field["name"] for field in fields]
    if len(set(names)) < len(names):
        raise ToolError("Two fields have the same name. Names must be unique.")
    for field in fields:
        if field["kind"] == "choice" and not field.get("choices"):
            raise ToolError(f"The field {field['name']} is a choice and needs choices.")
    if lacking := missing_characters(title + "".join(field["label"] for field in fields)):
        raise ToolError(f"The font lacks {' '.join(lacking)}. Use Latin, Greek or Cyrillic letters.")


def _height(field: NewField) -> int:
    return {"text": 40, "multiline": 110, "checkbox": 20, "choice": 40}[field["kind"]]


def _draw_field(canvas: Canvas, field: NewField, y: float, page_width: float) -> None:
    """Draw the label and the field below it; a checkbox is drawn before its label."""
    canvas.setFillColor(HexColor(INK))
    canvas.setFont(SANS, 10)
    form, name, label, wide = canvas.acroForm, field["name"], field["label"], page_width - 120
    if field["kind"] == "checkbox":
        form.checkbox(name=name, tooltip=label, x=60, y=y - 16, size=14, buttonStyle="check", borderWidth=0.5)
        canvas.drawString(82, y - 13, label)
        return
    canvas.drawString(60, y - 10, label)
    below, high = y - _height(field), _height(field) - 18
    if field["kind"] == "choice":
        choices = field["choices"]
        form.choice(
            name=name, tooltip=label, options=choices, value=choices[0], x=60, y=below, width=wide, height=high,
            fontSize=11, borderWidth=0.5,
        )  # fmt: skip
    else:
        flags = "multiline" if field["kind"] == "multiline" else ""
        form.textfield(
            name=name, tooltip=label, x=60, y=below, width=wide, height=high, fontSize=11, borderWidth=0.5,
            fieldFlags=flags,
        )  # fmt: skip


def field_text(value: object) -> str | None:
    text = str(value).removeprefix("/") if value is not None else ""
    return text[:5000] or None
