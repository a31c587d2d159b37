"""Tools for documents: files written by hand, so that what is in them is known."""

import base64
import io
import zipfile

from retinue.sdk import Example

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_OFFICE = "http://schemas.openxmlformats.org"
_RELATION = f"{_OFFICE}/officeDocument/2006/relationships"


def _pdf(*texts: str) -> dict[str, str]:
    """A PDF with a page for each text."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(texts)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(texts)}>>"]
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for n, text in enumerate(texts):
        shown = f"BT /F 24 Tf 50 700 Td ({text}) Tj ET"
        page = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents {5 + 2 * n} 0 R>>"
        )
        objects += [page, f"<</Length {len(shown)}>>stream\n{shown}\nendstream"]
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    out += (
        f"xref\n0 {count}\n0000000000 65535 f \n{rows}trailer<</Size {count}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    )
    return {_FILE: base64.b64encode(out.encode()).decode()}


def _zip(**parts: str) -> dict[str, str]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return {_FILE: base64.b64encode(made.getvalue()).decode()}


def _relations(kind: str, target: str) -> str:
    inner = f'<Relationship Id="rId1" Type="{_RELATION}/{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{inner}</Relationships>'


def _types(**parts: str) -> str:
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
        for name, kind in parts.items()
    )
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return f'<Types xmlns="{_OFFICE}/package/2006/content-types">{default}{overrides}</Types>'


def _xlsx() -> dict[str, str]:
    """A workbook with the sheet Stock: a text, two numbers and their sum."""
    main = f"{_OFFICE}/spreadsheetml/2006/main"
    text = '<c r="B1" t="inlineStr"><is><t>Tea pot, teapot</t></is></c>'
    rows = f'<row r="1"><c r="A1"><v>1</v></c>{text}</row><row r="2"><c r="A2"><v>2</v></c></row>'
    total = '<row r="3"><c r="A3"><f>SUM(A1:A2)</f><v>3</v></c></row>'
    return _zip(
        **{
            "[Content_Types].xml": _types(
                **{
                    "xl/workbook.xml": "spreadsheetml.sheet.main",
                    "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
                }
            ),
            "_rels/.rels": _relations("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{_RELATION}"><sheets>'
            '<sheet name="Stock" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _relations("worksheet", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}{total}</sheetData></worksheet>',
        }
    )


CALLS = [
    (
        "email_strip_quotes",
        Example(
            {"text": "Passt.\n\nAm 03.02.2026 um 10:00 schrieb Bob <b@example.net>:\n> Heute?\n"},
            {"text": "Passt.", "signature": ""},
            source="read off the text",
        ),
    ),
    (
        "epub_create",
        Example(
            {"title": "T", "author": "A", "markdown": "# One\n\nx\n\n## Part\n\ny\n\n# Two\n\nz\n", "language": "de"},
            {"chapters": 2, "file": "T.epub"},
            source="two headings of the first level",
        ),
    ),
    (
        "markdown_build_contents",
        Example(
            {"markdown": "# A b\n\n# A b\n\n```\n# no\n```\n\n#### deep\n"},
            {"contents": "- [A b](#a-b)\n- [A b](#a-b-1)\n"},
            source="GitHub numbers equal headings",
        ),
    ),
    (
        "markdown_list_tasks",
        Example(
            {"markdown": "- [x] a\n- [ ] b\n* [X] c\n- d\n"},
            {"done": 2, "open": 1, "left": ["b"], "done_percent": 200 / 3},
            source="GitHub Flavored Markdown; 2 of 3",
            tolerance=1e-3,
        ),
    ),
    *(
        (
            "pdf_arrange_sheets",
            Example({"file": _FILE, "per_sheet": count}, {"pages": pages}, source="ceil(5 / n)", files=_pdf(*"abcde")),
        )
        for count, pages in ((4, 2), (2, 3), (6, 1))
    ),
    (
        "pdf_create_certificate",
        Example(
            {"heading": "Urkunde", "recipient": "Zoë Żak", "text": "hat bestanden", "paper": "Letter"},
            {"pages": 1, "missing_characters": []},
            source="Latin letters",
        ),
    ),
    (
        "pdf_redact_text",
        Example(
            {"file": _FILE, "texts": ["hidden"]},
            {"redacted_pages": [2], "areas": 1, "pages": 3},
            source="written on page 2",
            files=_pdf("open", "Hidden words", "open"),
        ),
    ),
    (
        "pptx_add_chart_slide",
        Example(
            {
                "title": "T",
                "categories": ["a", "b"],
                "series": [{"name": "s", "values": [1, 2.5]}],
                "kind": "doughnut",
            },
            {"slides": 1},
            source="a new presentation",
        ),
    ),
    (
        "xlsx_arrange_sheets",
        Example(
            {
                "file": _FILE,
                "changes": [
                    {"action": "add", "new_name": "New"},
                    {"action": "rename", "sheet": "Stock", "new_name": "Old"},
                    {"action": "move_last", "sheet": "Old"},
                ],
            },
            {"sheets": ["New", "Old"], "hidden": []},
            source="by hand",
            files=_xlsx(),
        ),
    ),
    (
        "xlsx_list_formulas",
        Example(
            {"file": _FILE},
            {
                "count": 1,
                "formulas": [
                    {"sheet": "Stock", "cell": "A3", "formula": "=SUM(A1:A2)", "value": 3, "references": ["A1:A2"]}
                ],
                "functions": {"SUM": 1},
                "errors": [],
            },
            source="as written",
            files=_xlsx(),
        ),
    ),
    (
        "xlsx_replace_text",
        Example(
            {"file": _FILE, "find": "tea", "replace": "Coffee", "whole_words": True},
            {"cells": 1, "places": ["Stock!B1"]},
            source="as written",
            files=_xlsx(),
        ),
    ),
]
