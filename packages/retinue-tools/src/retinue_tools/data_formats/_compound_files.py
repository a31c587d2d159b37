"""Files in Microsoft's compound format: the workbooks, documents and slides of before 2007, and encrypted ones."""

from pathlib import Path

from retinue.sdk import ToolError

_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def refuse_compound(path: Path) -> None:
    """Raise `ToolError` if a file is encrypted with a password or has the old format of Office."""
    with path.open("rb") as opened:
        if opened.read(len(_MAGIC)) != _MAGIC:
            return
        opened.seek(0)
        content = opened.read()
    if _ENCRYPTED in content:
        raise ToolError("The file is protected by a password. Save it without one, and send it again.")
    raise ToolError("The file has the old format of Office (.xls, .doc or .ppt). Save it as .xlsx, .docx or .pptx.")
