"""Drawing and reading of barcodes."""

import io
from pathlib import Path
from typing import Annotated, Any, Literal

import barcode
import segno
import zxingcpp
from barcode.errors import BarcodeError
from barcode.writer import ImageWriter, SVGWriter
from PIL import Image, UnidentifiedImageError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, output_path, save, tool

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_MOST_PIXELS = 40_000_000

Format = Annotated[Literal["png", "svg"], About("Image format")]


class LinearCode(TypedDict):
    """A barcode image."""

    file: OutputFile
    encoded: Annotated[str, About("Encoded content, including an added check digit")]


@tool(
    tags="barcode create ean13 upc code128 code39 itf isbn generate image svg label",
    use_when=(
        "Make an EAN-13 barcode of 4006381333931",
        "Create a Code 128 label for serial number A-1007",
        "Draw a UPC barcode as SVG",
    ),
    examples=(
        Example(
            {"content": "400638133393", "kind": "ean13"},
            {"file": "barcode.png", "encoded": "4006381333931"},
            source="Wikipedia, International Article Number: the check digit is 1",
            then=(
                ExampleCall(
                    "barcode_read_image",
                    {"file": "{made}"},
                    {"count": 1, "codes": [{"text": "4006381333931", "format": "EAN-13"}]},
                ),
            ),
        ),
        Example(
            {"content": "A-1007", "kind": "code128", "file_format": "svg"},
            {"file": "barcode.svg", "encoded": "A-1007"},
            source="what was given",
        ),
        Refusal({"content": "4006381333932", "kind": "ean13"}, "check digit"),
        Refusal({"content": "abc", "kind": "ean8"}, "cannot be encoded as a barcode"),
    ),
    reply="The barcode of {encoded}: {file}",
    tier="starter",
    memory_mb=1024,
)
def barcode_create_linear(
    content: Annotated[
        str, About("Content to encode", "4006381333931", pattern="^[ -~]+$", min_length=1, max_length=80)
    ],
    kind: Annotated[
        Literal["ean13", "ean8", "upca", "code128", "code39", "itf", "gs1_128", "isbn13", "codabar"],
        About("Kind of barcode; code128 accepts any text"),
    ],
    file_format: Format = "png",
    with_text: Annotated[bool, About("Whether to write the text below the bars")] = True,
    height_mm: Annotated[float, About("Height of the bars", minimum=2, maximum=100)] = 15.0,
) -> LinearCode:
    """Draw a linear barcode (EAN, UPC, Code 128, Code 39, ITF, GS1-128, ISBN) as PNG or SVG.

    Use it for labels and articles. A missing check digit is added.
    """
    try:
        writer = ImageWriter() if file_format == "png" else SVGWriter()
        code = barcode.get(kind, content, writer=writer)
        drawn = io.BytesIO()
        code.write(drawn, {"write_text": with_text, "module_height": height_mm})
    except (BarcodeError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ToolError(f"{content[:60]} cannot be encoded as a barcode of the kind {kind}: {error}.") from error
    encoded = str(code.get_fullcode())
    digits = content.replace("-", "").replace(" ", "")
    if kind in ("ean13", "ean8", "upca", "isbn13") and len(digits) == len(encoded) and digits != encoded:
        raise ToolError(f"The check digit must be {encoded[-1]}: {encoded}.")
    return {"file": save(f"barcode.{file_format}", drawn.getvalue()), "encoded": encoded}


class MatrixCode(TypedDict):
    """A two-dimensional code image."""

    file: OutputFile
    kind: Annotated[str, About("Kind of code")]
    modules: Annotated[int | None, About("Modules per side of a QR code")]


@tool(
    tags="qr code data matrix aztec pdf417 micro qr create generate 2d barcode image svg",
    use_when=(
        "Make a QR code of https://example.com",
        "Create a Data Matrix code of a serial number",
        "Generate a PDF417 or Aztec code",
        "QR code for my website",
        "QR code for the wifi",
    ),
    examples=(
        Example(
            {"content": "https://example.com/", "kind": "qr"},
            {"file": "code.png", "modules": 25},
            source="ISO/IEC 18004: 20 bytes at level M need version 2, 25 modules",
            then=(
                ExampleCall(
                    "barcode_read_image",
                    {"file": "{made}"},
                    {"codes": [{"text": "https://example.com/", "format": "QR Code"}]},
                ),
            ),
        ),
        Example(
            {"content": "SN-0042", "kind": "data_matrix"},
            {"kind": "data_matrix", "modules": None},
            source="the kind asked for; read again by the other tool",
            then=(
                ExampleCall(
                    "barcode_read_image", {"file": "{made}"}, {"codes": [{"text": "SN-0042", "format": "Data Matrix"}]}
                ),
            ),
        ),
        Refusal({"content": "a" * 3000, "kind": "qr", "correction": "high"}, "too long"),
    ),
    reply={
        "args.content": "The code of {args.content}: {file}",
        "": "The code: {file}",
    },
    tier="starter",
    memory_mb=1024,
)
def barcode_create_matrix(
    content: Annotated[str, About("Content to encode", "https://example.com/", min_length=1, max_length=4000)],
    kind: Annotated[
        Literal["qr", "micro_qr", "data_matrix", "aztec", "pdf417"], About("Kind of code; pdf417 is used on ID cards")
    ],
    file_format: Format = "png",
    correction: Annotated[
        Literal["low", "medium", "quartile", "high"], About("Error correction of a QR code: 7, 15, 25 or 30 %")
    ] = "medium",
    scale: Annotated[int, About("Pixels per module", minimum=1, maximum=40)] = 8,
) -> MatrixCode:
    """Draw a two-dimensional code (QR, Micro QR, Data Matrix, Aztec, PDF417) of a text or web address, as PNG or SVG.

    Use it for links, tickets and parts. barcode_read_image can read it.
    """
    if kind in ("qr", "micro_qr"):
        return _qr(content, kind, file_format, correction, scale)
    formats = {"data_matrix": zxingcpp.BarcodeFormat.DataMatrix, "aztec": zxingcpp.BarcodeFormat.Aztec}
    try:
        code = zxingcpp.create_barcode(content, formats.get(kind, zxingcpp.BarcodeFormat.PDF417))
        if file_format == "svg":
            drawn = str(zxingcpp.write_barcode_to_svg(code, scale=scale, add_quiet_zones=True)).encode()
        else:
            drawn = _png(zxingcpp.write_barcode_to_image(code, scale=scale, add_quiet_zones=True))
    except (ValueError, RuntimeError, TypeError) as error:
        raise ToolError(f"The content is too long for {kind}, or has characters that it does not support.") from error
    return {"file": save(f"code.{file_format}", drawn), "kind": kind, "modules": None}


def _qr(content: str, kind: str, form: str, correction: str, scale: int) -> MatrixCode:
    try:
        code = segno.make(content, error=correction[0], micro=kind == "micro_qr", boost_error=False)
    except (segno.DataOverflowError, ValueError) as error:
        raise ToolError(f"The content is too long for a {kind} code at that correction level.") from error
    target = output_path(f"code.{form}")
    code.save(str(target), scale=scale, kind=form)
    return {"file": target.name, "kind": kind, "modules": int(code.symbol_size(border=0)[0])}


def _png(drawn: Any) -> bytes:
    target = io.BytesIO()
    Image.fromarray(drawn).save(target, "PNG")
    return target.getvalue()


class ReadCode(TypedDict):
    """A code in a picture."""

    text: Annotated[str, About("Content of the code")]
    format: Annotated[str, About("Kind of code, such as QR Code or EAN-13")]
    content_type: Annotated[str, About("Text, Binary, GS1 and others")]
    orientation_degrees: Annotated[int, About("Rotation angle")]
    position: Annotated[list[list[int]], About("Corners as x and y in pixels")]
    hex: Annotated[str | None, About("Bytes in hexadecimal, if the content is not text")]


class ReadCodes(TypedDict):
    """Codes in a picture."""

    count: Annotated[int, About("Number of codes found")]
    codes: Annotated[list[ReadCode], About("Codes found, at most 100")]


@tool(
    tags="barcode qr code read scan decode image photo ean data matrix aztec pdf417",
    use_when=(
        "What does the QR code in this picture say?",
        "Read all barcodes of the photo",
        "Decode a Data Matrix code",
        "Scan a QR code",
    ),
    examples=(
        Example(
            {"file": _FILE},
            {"count": 0, "codes": []},
            source="an empty picture",
            files={_FILE: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"},
        ),
        Refusal({"file": _FILE}, "not a readable picture", files={_FILE: "YWJj"}),
    ),
    reply={
        "codes": "The picture contains {count|code}: {codes}",
        "": "I found no code in the picture.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def barcode_read_image(file: File) -> ReadCodes:
    """Read all QR codes and barcodes in a picture, including rotated ones, with their content, kind and position.

    Use it for photos and scans (PNG, JPEG, WebP, GIF, TIFF). Codes that are too blurred are not found.
    """
    found = zxingcpp.read_barcodes(_picture(Path(file)), try_rotate=True, try_downscale=True)
    return {"count": len(found), "codes": [_read(one) for one in found[:100]]}


def _picture(path: Path) -> Any:
    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                raise ToolError("The picture has more than 40 million pixels. Reduce its size.")
            return picture.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError, SyntaxError) as error:
        raise ToolError("This is not a readable picture. Give a PNG, JPEG, WebP, GIF or TIFF.") from error


def _read(code: Any) -> ReadCode:
    corners = (code.position.top_left, code.position.top_right, code.position.bottom_right, code.position.bottom_left)
    kind = str(code.content_type).rpartition(".")[2]
    return {
        "text": code.text,
        "format": str(code.format),
        "content_type": kind,
        "orientation_degrees": code.orientation,
        "position": [[corner.x, corner.y] for corner in corners],
        "hex": bytes(code.bytes).hex() if kind == "Binary" else None,
    }
