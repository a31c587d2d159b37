"""Apple property lists."""

import base64
import plistlib
import struct
from pathlib import Path
from typing import Annotated
from xml.parsers.expat import ExpatError

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Value, plain

_PLIST = (
    '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>Name</key><string>Tea</string>'
    "<key>Count</key><integer>3</integer><key>Raw</key><data>TWFu</data></dict></plist>"
)
_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


@tool(
    tags="plist property list apple macos ios json binary bplist convert",
    use_when=(
        "Convert this Info.plist to JSON",
        "Read a binary plist of a Mac app",
        "What is the bundle identifier in this property list?",
    ),
    examples=(
        Example(
            {"text": _PLIST},
            {"value": {"Name": "Tea", "Count": 3, "Raw": b"Man".hex()}},
            "by hand; TWFu is Man in Base64",
        ),
        Example(
            {"file": _FILE},
            {"value": {"a": [1, True]}},
            source="written by Python's plistlib in the binary form",
            files={_FILE: base64.b64encode(plistlib.dumps({"a": [1, True]}, fmt=plistlib.FMT_BINARY)).decode()},
        ),
        Refusal({"text": "<plist><dict><key>a</key></dict></plist>"}, "not a property list"),
        Refusal({}, "text or a file"),
    ),
)
def plist_convert_to_json(
    text: Annotated[str | None, About("An XML property list", _PLIST, max_length=500_000)] = None,
    file: File | None = None,
) -> Value:
    """Convert an Apple property list, XML as text or any form as a file, to a JSON value.

    Use it for Info.plist and preferences of macOS and iOS programs. Binary values become hexadecimal digits, dates
    ISO 8601 text.
    """
    if (text is None) == (file is None):
        raise ToolError("Give a text or a file, not both.")
    content = Path(file).read_bytes() if file else (text or "").encode(errors="replace")
    try:
        return {"value": plain(plistlib.loads(content))}
    except (ValueError, ExpatError, LookupError, struct.error, AttributeError, TypeError, OverflowError) as error:
        raise ToolError(f"This is not a property list that can be read: {str(error)[:200]}") from error
