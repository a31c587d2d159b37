"""Small office files for the examples of the tools (ECMA-376), written with the standard library only."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from retinue_tools.documents._samples import encode, png, zip_archive

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument"
_TREE = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
NOT_OFFICE = encode("just text")

Cell = str | int | float


def docx(*blocks: str, more: Mapping[str, str | bytes] | None = None, relations: str = "", types: str = "") -> str:
    """Build a Word document from paragraphs of `para`, in Base64.

    `more` contains further parts by their names, `relations` those of the document, `types` their content types.
    """
    body = f'{_HEAD}<w:document xmlns:w="{_WORD}" xmlns:r="{_OFFICE}/relationships"><w:body>{"".join(blocks)}'
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/></w:style>'
        for level in (1, 2)
    )
    return _package(
        {"word/document.xml": f"{body}</w:body></w:document>",
         "word/styles.xml": f'{_HEAD}<w:styles xmlns:w="{_WORD}">{styles}</w:styles>',
         "word/_rels/document.xml.rels": _relations(
             f'<Relationship Id="rId1" Type="{_OFFICE}/relationships/styles" Target="styles.xml"/>{relations}'),
         **(more or {})},
        {"/word/document.xml": f"{_TYPE}.wordprocessingml.document.main+xml",
         "/word/styles.xml": f"{_TYPE}.wordprocessingml.styles+xml"},
        types,
    )  # fmt: skip


def para(*runs: str, style: str = "") -> str:
    """Build a paragraph of runs, each a text or XML that begins with <w:."""
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}{''.join(run if run.startswith('<w:') else text_run(run) for run in runs)}</w:p>"


def text_run(text: str, look: str = "") -> str:
    """Build a run of text; `look` is its formatting, such as <w:b/>."""
    return f'<w:r>{f"<w:rPr>{look}</w:rPr>" if look else ""}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def word_table(*rows: Sequence[str]) -> str:
    """Build a table."""
    cells = ("".join(f"<w:tc>{para(cell)}</w:tc>" for cell in row) for row in rows)
    grid = "<w:gridCol/>" * len(rows[0])
    return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def xlsx(**sheets: Sequence[Sequence[Cell | None]]) -> str:
    """Build an Excel workbook from sheets by their names, in Base64. Text that begins with = is a formula."""
    parts, types, listed, relations = {}, {}, "", ""
    for number, (name, rows) in enumerate(sheets.items(), 1):
        body = "".join(f'<row r="{row}">{_cells(row, cells)}</row>' for row, cells in enumerate(rows, 1))
        path = f"xl/worksheets/sheet{number}.xml"
        parts[path] = f'{_HEAD}<worksheet xmlns="{_SHEET}"><sheetData>{body}</sheetData></worksheet>'
        types[f"/{path}"] = f"{_TYPE}.spreadsheetml.worksheet+xml"
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        relations += (
            f'<Relationship Id="rId{number}" Type="{_OFFICE}/relationships/worksheet" '
            f'Target="worksheets/sheet{number}.xml"/>'
        )
    parts["xl/workbook.xml"] = (
        f'{_HEAD}<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}/relationships"><sheets>{listed}</sheets></workbook>'
    )
    parts["xl/_rels/workbook.xml.rels"] = _relations(relations)
    return _package(parts, {"/xl/workbook.xml": f"{_TYPE}.spreadsheetml.sheet.main+xml", **types})


def pptx(*slides: tuple[str, str], picture: bool = False) -> str:
    """Build a presentation in Base64 from slides, each with a title and a text whose lines are its paragraphs."""
    names = f'xmlns:a="{_DRAWING}" xmlns:p="{_SLIDE}" xmlns:r="{_OFFICE}/relationships"'
    tree = f"<p:spTree>{_TREE}</p:spTree>"
    parts: dict[str, str | bytes] = {
        "ppt/slideMasters/slideMaster1.xml": f"{_HEAD}<p:sldMaster {names}><p:cSld>{tree}</p:cSld>"
        '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>',
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": _find_related(
            "slideLayout", "../slideLayouts/slideLayout1.xml"
        ),
        "ppt/slideLayouts/slideLayout1.xml": f'{_HEAD}<p:sldLayout {names}><p:cSld name="Title and Content"><p:spTree>'
        f"{_TREE}</p:spTree></p:cSld></p:sldLayout>",
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": _find_related(
            "slideMaster", "../slideMasters/slideMaster1.xml"
        ),
    }
    types = {
        "/ppt/presentation.xml": "presentation.main", "/ppt/slideMasters/slideMaster1.xml": "slideMaster",
        "/ppt/slideLayouts/slideLayout1.xml": "slideLayout",
    }  # fmt: skip
    listed, relations = "", relation(100, "slideMaster", "slideMasters/slideMaster1.xml")
    for number, (title, text) in enumerate(slides, 1):
        shapes = _shape(2, '<p:ph type="title"/>', title) + _shape(3, '<p:ph idx="1"/>', text)
        parts[f"ppt/slides/slide{number}.xml"] = (
            f"{_HEAD}<p:sld {names}><p:cSld><p:spTree>{_TREE}{shapes}</p:spTree></p:cSld></p:sld>"
        )
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = _find_related(
            "slideLayout", "../slideLayouts/slideLayout1.xml"
        )
        types[f"/ppt/slides/slide{number}.xml"] = "slide"
        listed += f'<p:sldId id="{255 + number}" r:id="rId{number}"/>'
        relations += relation(number, "slide", f"slides/slide{number}.xml")
    parts["ppt/presentation.xml"] = (
        f'{_HEAD}<p:presentation {names}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId100"/>'
        f'</p:sldMasterIdLst><p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/>'
        '<p:notesSz cx="6858000" cy="9144000"/></p:presentation>'
    )
    if picture:
        parts["ppt/media/image1.png"] = png(3, 2, (200, 30, 30))
        relations += relation(101, "image", "media/image1.png")
    parts["ppt/_rels/presentation.xml.rels"] = _relations(relations)
    return _package(parts, {name: f"{_TYPE}.presentationml.{kind}+xml" for name, kind in types.items()})


def _shape(number: int, placeholder: str, text: str) -> str:
    paragraphs = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in text.split("\n"))
    about = f'<p:cNvPr id="{number}" name="Shape {number}"/><p:cNvSpPr/><p:nvPr>{placeholder}</p:nvPr>'
    return f"<p:sp><p:nvSpPr>{about}</p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>"


def _cells(row: int, values: Sequence[Cell | None]) -> str:
    return "".join(_cell(row, column, value) for column, value in enumerate(values) if value is not None)


def _cell(row: int, column: int, value: Cell) -> str:
    place = f"{chr(65 + column)}{row}"
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    if value.startswith("="):
        return f'<c r="{place}"><f>{escape(value[1:])}</f></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def relation(number: int, kind: str, target: str) -> str:
    """Build a relationship to another part."""
    return f'<Relationship Id="rId{number}" Type="{_OFFICE}/relationships/{kind}" Target="{target}"/>'


def _find_related(kind: str, target: str) -> str:
    return _relations(relation(1, kind, target))


def _relations(relations: str) -> str:
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'


def _package(parts: Mapping[str, str | bytes], types: Mapping[str, str], more_types: str = "") -> str:
    """Add the files that ECMA-376, part 2, requires; the first of `types` is the main part."""
    main = next(iter(types)).removeprefix("/")
    overrides = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in types.items())
    defaults = (
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
    )
    content = f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">{defaults}{overrides}{more_types}</Types>'
    start = _find_related("officeDocument", main)
    return encode(zip_archive({"[Content_Types].xml": content, "_rels/.rels": start, **parts}))
