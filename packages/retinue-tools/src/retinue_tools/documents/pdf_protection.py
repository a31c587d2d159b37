"""PDF passwords and hidden content."""

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pypdf import PdfReader, PdfWriter
from pypdf.constants import UserAccessPermissions
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._pdf_files import MadePdf, made_pdf, reader_of, refusing_damage, writer_of
from retinue_tools.documents._samples import FILE

_PLAIN = {FILE: samples.encode(samples.text_pdf("one", "two"))}
_MOST = 200
_SCRIPTED = {
    FILE: samples.encode(
        samples.text_pdf(
            "seen",
            catalog="/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>",
            graphics="BT 3 Tr /F1 12 Tf 72 500 Td (unseen words) Tj ET",
            page="/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /Launch /F (calc.exe) >> >>]",
        )
    )
}

Password = Annotated[str, About("Password", "correct horse battery staple", min_length=1, max_length=100)]


class Risk(TypedDict):
    """Hidden content of a PDF."""

    kind: Annotated[
        str,
        About(
            "javascript, launch (starts a program), submit_form, open_action, attachment, hidden_text, hidden_layer, "
            "hidden_annotation or earlier_version"
        ),
    ]
    page: Annotated[int | None, About("Page; null for the whole file")]
    detail: Annotated[str, About("Description or content, truncated at 300 characters")]


class Inspected(TypedDict):
    """Hidden content found."""

    findings: Annotated[list[Risk], About("Findings in order, at most 200")]
    clean: Annotated[bool, About("Whether nothing was found")]


@tool(
    tags="pdf encrypt password protect lock secure permissions print copy aes",
    use_when=(
        "Protect this PDF with a password",
        "Lock the PDF so that nobody may print it",
        "Encrypt the payslip before sending",
        "Lock a PDF with a password",
    ),
    examples=(
        Example(
            {"file": FILE, "password": "open sesame"},
            {"pages": 2},
            source="AES-256: the password opens it, and pages are as before",
            files=_PLAIN,
            then=(ExampleCall("pdf_decrypt", {"file": "{made}", "password": "open sesame"}, {"pages": 2}),),
        ),
        Example(
            {"file": FILE, "password": "open sesame", "owner_password": "mine alone", "allow": ["print"]},
            {"pages": 2},
            source="ISO 32000-2, section 7.6.4: both passwords open it",
            files=_PLAIN,
            then=(ExampleCall("pdf_decrypt", {"file": "{made}", "password": "mine alone"}, {"pages": 2}),),
        ),
        Refusal({"file": FILE, "password": ""}, "at least 1", files=_PLAIN),
    ),
    reply="The protected PDF: {file}",
    tier="starter",
    pace="normal",
    idempotent=False,
)
@refusing_damage()
def pdf_encrypt(
    file: File,
    password: Password,
    owner_password: Annotated[
        str | None,
        About("Password that lifts all restrictions; default: random", "mine alone", min_length=1, max_length=100),
    ] = None,
    allow: Annotated[
        list[Literal["print", "copy", "modify", "annotate", "fill_forms"]] | None,
        About("Permissions of readers; default: all", ["print"], max_items=5),
    ] = None,
) -> MadePdf:
    """Protect a PDF with a password (AES with 256 bits) that is required to open it.

    Use it before sending confidential documents. Restrictions of printing or copying depend on the cooperation of
    programs. Returns the new PDF; a forgotten password cannot be recovered.
    """
    writer = writer_of(file)
    writer.encrypt(
        password,
        owner_password or _random_password(),
        permissions_flag=_permissions(allow) if allow is not None else UserAccessPermissions.all(),
        algorithm="AES-256",
    )
    return made_pdf(writer, "protected.pdf")


@tool(
    tags="pdf decrypt unlock password remove protection open",
    use_when=(
        "Remove the password from this PDF, I know it",
        "Unlock the protected statement with its password",
        "Make a copy of the PDF without encryption",
        "Unlock a PDF",
    ),
    examples=(
        Example(
            {"file": FILE, "password": ""},
            {"pages": 2},
            source="a PDF without encryption comes back with the same pages",
            files=_PLAIN,
        ),
        Refusal({"file": FILE, "password": "x"}, "not a PDF", files={FILE: samples.encode("x")}),
    ),
    reply="The PDF without its password: {file}",
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_decrypt(
    file: File,
    password: Annotated[str, About("Its password, or its owner's", "correct horse battery staple", max_length=100)],
) -> MadePdf:
    """Remove the password of a PDF that you know, so that other tools can read it.

    Use it if a tool reports that a PDF is protected. It does not guess passwords. Returns a PDF without encryption.
    """
    reader = PdfReader(file) if _is_pdf(file) else reader_of(file)
    if reader.is_encrypted and not reader.decrypt(password):
        raise ToolError("The password is wrong. Check capital letters and spaces.")
    return made_pdf(PdfWriter(clone_from=reader_of(file, password)), "unlocked.pdf")


@tool(
    tags="pdf hidden inspect javascript scripts embedded attachments invisible text layers security redaction check",
    use_when=(
        "Is there anything hidden in this PDF?",
        "Does the PDF contain JavaScript or attachments?",
        "Check a redacted document for leftover text before publishing",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "clean": False,
                "findings": [
                    {"kind": "open_action", "page": None, "detail": "/JavaScript"},
                    {"kind": "javascript", "page": None, "detail": "app.alert(1)"},
                    {"kind": "launch", "page": 1, "detail": "calc.exe"},
                    {"kind": "hidden_text", "page": 1, "detail": "unseen words"},
                ],
            },
            source="what the file was written with; text rendering mode 3 is invisible (ISO 32000-1, table 106)",
            files=_SCRIPTED,
        ),
        Example({"file": FILE}, {"clean": True, "findings": []}, source="plain text alone", files=_PLAIN),
        Refusal({"file": FILE}, "not a PDF", files={FILE: samples.encode("x")}),
    ),
    reply={
        "clean": "I found nothing hidden in the PDF.",
        "findings": "The PDF contains something hidden: {findings}",
        "": "The PDF contains something hidden.",
    },
    tier="starter",
    pace="normal",
)
@refusing_damage()
def pdf_find_hidden(file: File) -> Inspected:
    """Find hidden content of a PDF, besides what it shows: scripts, actions, attachments, invisible text, layers and
    notes.

    Use it before opening a suspicious PDF or publishing a redacted one. Invisibly drawn text is found, text merely
    covered by a shape is not. Text under scans, created by character recognition, counts as hidden.
    """
    reader = reader_of(file)
    findings = [finding for finding, _ in zip(_findings(reader), range(_MOST), strict=False)]
    return {"findings": findings, "clean": not findings}


def _random_password() -> str:
    return secrets.token_urlsafe(24)


def _is_pdf(file: str) -> bool:
    return b"%PDF-" in Path(file).read_bytes()[:1024]


def _permissions(allow: Sequence[str]) -> Any:
    """Return the flags of ISO 32000-1, table 22."""
    flag_of = {
        "print": UserAccessPermissions.PRINT | UserAccessPermissions.PRINT_TO_REPRESENTATION,
        "copy": UserAccessPermissions.EXTRACT | UserAccessPermissions.EXTRACT_TEXT_AND_GRAPHICS,
        "modify": UserAccessPermissions.MODIFY | UserAccessPermissions.ASSEMBLE_DOC,
        "annotate": UserAccessPermissions.ADD_OR_MODIFY,
        "fill_forms": UserAccessPermissions.FILL_FORM_FIELDS,
    }
    flags = UserAccessPermissions(0)
    for name in allow:
        flags |= flag_of[name]
    return flags


def _findings(reader: PdfReader) -> Iterator[Risk]:
    root = reader.root_object
    action = root.get("/OpenAction")
    if hasattr(action, "get"):
        yield {"kind": "open_action", "page": None, "detail": str(action.get("/S"))[:300]}
        yield from _action(action, None)
    names = root.get("/Names", {})
    if "/JavaScript" in names:
        yield {"kind": "javascript", "page": None, "detail": "Scripts that run when the document opens"}
    for name in reader.attachments:
        yield {"kind": "attachment", "page": None, "detail": str(name)[:300]}
    for group in _hidden_layers(root):
        yield {"kind": "hidden_layer", "page": None, "detail": group}
    if "/Prev" in reader.trailer:
        yield {"kind": "earlier_version", "page": None, "detail": "An earlier version is kept within the file"}
    for number, page in enumerate(reader.pages, 1):
        yield from _page_findings(page, number)


def _page_findings(page: Any, number: int) -> Iterator[Risk]:
    for event in page.get("/AA", {}).values():
        yield from _action(event.get_object(), number)
    for reference in page.get("/Annots") or ():
        annotation = reference.get_object()
        if int(annotation.get("/F", 0)) & 2 and annotation.get("/Subtype") != "/Popup":
            yield {"kind": "hidden_annotation", "page": number, "detail": str(annotation.get("/Contents", ""))[:300]}
        yield from _action(annotation.get("/A", {}), number)
    hidden = _invisible_text(page)
    if hidden:
        yield {"kind": "hidden_text", "page": number, "detail": hidden[:300]}


def _action(action: Any, page: int | None) -> Iterator[Risk]:
    """Describe an action other than going to a page or an address (ISO 32000-1, section 12.6.4)."""
    match action.get("/S"):
        case "/JavaScript":
            script = action.get("/JS", "")
            text = script.get_data().decode("latin-1") if hasattr(script, "get_data") else str(script)
            yield {"kind": "javascript", "page": page, "detail": text[:300]}
        case "/Launch":
            target = action.get("/F", "")
            yield {
                "kind": "launch",
                "page": page,
                "detail": str(target.get("/F") if hasattr(target, "get") else target)[:300],
            }
        case "/SubmitForm":
            yield {"kind": "submit_form", "page": page, "detail": str(action.get("/F", ""))[:300]}


def _hidden_layers(root: Any) -> Iterator[str]:
    """Return layers that are initially off (ISO 32000-1, section 8.11.4.3)."""
    for reference in root.get("/OCProperties", {}).get("/D", {}).get("/OFF", ()):
        yield str(reference.get_object().get("/Name", ""))[:300]


def _invisible_text(page: Any) -> str:
    """Return the text that a page draws in rendering mode 3."""
    found, saved, state = list[str](), list[int](), {"mode": 0}

    def look(operator: bytes, operands: Any, _matrix: Any, _text_matrix: Any) -> None:
        if operator == b"Tr":
            state["mode"] = int(operands[0])
        elif operator == b"q":
            saved.append(state["mode"])
        elif operator == b"Q" and saved:
            state["mode"] = saved.pop()
        state["showing"] = operator in (b"Tj", b"TJ", b"'", b'"')

    def write(text: str, *_: Any) -> None:
        if state["mode"] == 3:
            found.append(text)

    page.extract_text(visitor_operand_before=look, visitor_text=write)
    return " ".join("".join(found).split())
