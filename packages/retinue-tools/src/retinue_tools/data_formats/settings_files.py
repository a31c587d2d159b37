"""Settings file parsing: INI, Java properties, TOML and Apple property lists."""

import base64
import configparser
import plistlib
import re
import struct
from pathlib import Path
from typing import Annotated, Any, Literal
from xml.parsers.expat import ExpatError

from retinue.sdk import About, Alias, Example, File, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Value, plain
from retinue_tools.data_formats.csv_tables import type_of
from retinue_tools.data_formats.env_files import ESCAPES
from retinue_tools.data_formats.settings_writing import parse_toml

_NAMELESS = "\0"

SettingsText = Annotated[str, About("Text of the file", "[server]\nport = 8080\n", max_length=500_000)]


class _Ini(configparser.RawConfigParser):
    """Preserves the case of names."""

    def optionxform(self, optionstr: str) -> str:
        """Return the name unchanged."""
        return optionstr


@tool(
    tags="settings json convert parse ini cfg config conf section toml pyproject cargo java properties messages i18n",
    use_when=(
        "Convert this INI file to JSON",
        "Read the settings of this .cfg file",
        "Which keys has [mysqld] in my.cnf?",
        "Convert this TOML to JSON",
        "What does my pyproject.toml say?",
        "Why is this Cargo.toml not valid?",
        "Read a TOML configuration file as JSON",
        "Convert this Java .properties file to JSON",
        "Read messages.properties with its unicode escapes",
        "Which keys does application.properties define?",
    ),
    examples=(
        Example(
            {
                "text": "top = 1\n[Server]\nPort: 8080 ; web\n; comment\n[paths]\nlist = a,\n  b\nflag\n",
                "form": "ini",
            },
            {"value": {"": {"top": "1"}, "Server": {"Port": "8080"}, "paths": {"list": "a,\nb", "flag": None}}},
            source="by hand, by the rules of Python's configparser",
        ),
        Example(
            {"text": "[a]\nurl = http://x/;v=1 # not cut\n", "form": "ini", "inline_comments": False},
            {"value": {"a": {"url": "http://x/;v=1 # not cut"}}},
            source="by hand",
        ),
        Example(
            {"text": "[a]\nn = 4\non = true\nname = x\nflag\n", "form": "ini", "types": True},
            {"value": {"a": {"n": 4, "on": True, "name": "x", "flag": None}}},
            source="by hand",
        ),
        Example(
            {
                "text": '[[fruits]]\nname = "apple"\n[fruits.physical]\ncolor = "red"\n[[fruits]]\nname = "banana"\n',
                "form": "toml",
            },
            {"value": {"fruits": [{"name": "apple", "physical": {"color": "red"}}, {"name": "banana"}]}},
            source="TOML 1.0.0, section Array of Tables, shortened",
        ),
        Example(
            {
                "text": "odt1 = 1979-05-27T07:32:00Z\nhex1 = 0xDEADBEEF\nsf1 = inf\nint5 = 1_000\n",
                "form": "toml",
            },
            {"value": {"odt1": "1979-05-27T07:32:00+00:00", "hex1": 3735928559, "sf1": "inf", "int5": 1000}},
            source="TOML 1.0.0, sections Integer, Float and Offset Date-Time",
        ),
        Example(
            {
                "text": "fruits   apple, pear, \\\n         kiwi\n! note\nTruth = Beauty\n Truth2:Beauty\ncheeses\n",
                "form": "properties",
            },
            {
                "value": {
                    "fruits": "apple, pear, kiwi",
                    "Truth": "Beauty",
                    "Truth2": "Beauty",
                    "cheeses": "",
                }
            },
            source="Java SE API, java.util.Properties.load",
        ),
        Example(
            {"text": "a\\:b=\\u20ac\\tx\\=\\z", "form": "properties"},
            {"value": {"a:b": "\u20ac\tx=z"}},
            "Java SE API, Properties.load, on escapes",
        ),
        Refusal({"text": "[a]\n= 1\n", "form": "ini"}, "line 2"),
        Refusal({"text": 'name = "Tom"\nname = "Pradyun"\n', "form": "toml"}, "line 2"),
        Refusal({"text": "a=\\u20", "form": "properties"}, "four hexadecimal digits"),
    ),
    reply="The settings: {value}",
    aliases=(
        Alias("ini_convert_to_json", constants={"form": "ini"}),
        Alias("properties_convert_to_json", constants={"form": "properties"}),
        Alias("toml_convert_to_json", constants={"form": "toml"}),
    ),
)
def settings_convert_to_json(
    text: SettingsText,
    form: Annotated[Literal["ini", "properties", "toml"], About("Kind of file; use ini for .cfg and .conf too")],
    inline_comments: Annotated[bool, About("For ini: whether # or ; after a space begins an inline comment")] = True,
    types: Annotated[bool, About("For ini: whether to convert numbers, true and false to JSON values")] = False,
) -> Value:
    """Convert an INI or .cfg file, a TOML document or a Java .properties file to a JSON object.

    Use it to read settings, or to check them: errors are reported with their line. For INI, the result has an object
    for each section, and keys before the first section under an empty name; a key without a value is null. Dates and
    infinities of TOML become text.
    """
    if form == "toml":
        return {"value": plain(parse_toml(text))}
    return {"value": plain(_properties(text) if form == "properties" else _ini(text, inline_comments, types))}


def _unescape(text: str) -> str:
    def interpret(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] != "u":
            return ESCAPES.get(code, code)
        if len(code) < 5:
            raise ToolError(r"After \u there must be four hexadecimal digits.")
        return chr(int(code[1:], 16))

    unescaped = re.sub(r"\\(u[0-9a-fA-F]{4}|.)", interpret, text, flags=re.DOTALL)
    return unescaped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fault(error: Exception) -> str:
    # Since Python 3.13, the `ParsingError` for a continued line without a key has no list of lines.
    if lines := getattr(error, "errors", ()):
        return f"{', '.join(f'line {number - 1}' for number, _ in lines[:5])} has neither a section nor a key."
    return str(plain(str(error)))[:200]


def _ini(text: str, inline_comments: bool, types: bool) -> dict[str, Any]:
    """Parse the sections of an INI file."""
    marks = ("#", ";") if inline_comments else None
    parser = _Ini(
        default_section=_NAMELESS,
        allow_no_value=True,
        strict=False,
        inline_comment_prefixes=marks,
        empty_lines_in_values=False,
    )
    lead = f"[{_NAMELESS}top]\n"
    try:
        parser.read_string(lead + text)
    except (configparser.Error, AttributeError) as error:
        raise ToolError(f"The text is not INI: {_fault(error)}") from error
    sections = {name.removeprefix(f"{_NAMELESS}top"): dict(parser.items(name)) for name in parser.sections()}
    filled = {name: keys for name, keys in sections.items() if name or keys}
    if types:
        filled = {name: {key: value and type_of(value) for key, value in keys.items()} for name, keys in filled.items()}
    return filled


def _properties(text: str) -> dict[str, str]:
    """Parse the keys of a Java .properties file; for duplicate keys, the last one wins."""
    lines = re.split(r"\r\n|\r|\n", text)
    pairs: dict[str, str] = {}
    while lines:
        line = lines.pop(0).lstrip(" \t\f")
        if not line or line[0] in "#!":
            continue
        while re.search(r"(?<!\\)(?:\\\\)*\\$", line):
            line = line[:-1] + (lines.pop(0).lstrip(" \t\f") if lines else "")
        found = re.match(r"((?:[^\\=: \t\f]|\\.)*)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.DOTALL)
        if found:
            pairs[_unescape(found[1])] = _unescape(found[2])
    return pairs


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
        Refusal({"text": "<plist><dict><key>a</key></dict></plist>"}, "not a readable property list"),
        Refusal({}, "text or a file"),
    ),
    reply="The property list: {value}",
)
def plist_convert_to_json(
    text: Annotated[str | None, About("XML property list", _PLIST, max_length=500_000)] = None,
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
        raise ToolError(f"This is not a readable property list: {str(error)[:200]}") from error
