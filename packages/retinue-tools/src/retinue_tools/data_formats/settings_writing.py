"""Writing settings files."""

import re
from typing import Annotated, Any, Literal

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Document, Written, dump, plain, read
from retinue_tools.data_formats.toml_text import write_toml


@tool(
    tags="json ini env properties toml settings convert write serialize config dotenv",
    use_when=(
        "Write this JSON as an INI file",
        "Make a .env file of these variables",
        "Convert JSON to Java properties",
        "Convert this JSON to TOML",
        "Write these settings as a TOML file",
        "What would this object look like in pyproject.toml?",
    ),
    examples=(
        Example(
            {"document": {"debug": True, "server": {"port": 8080, "host": None}}, "form": "ini"},
            {"text": "debug = true\n\n[server]\nport = 8080\nhost =\n"},
            source="by hand",
        ),
        Example(
            {"document": {"GREETING": 'say "hi" $USER', "PORT": 80}, "form": "env"},
            {"text": 'GREETING="say \\"hi\\" \\$USER"\nPORT=80\n'},
            source="by hand, by the quoting of POSIX shells",
        ),
        Example(
            {"document": {"a b": "\u20ac = 5", "db": {"url": "x:y"}}, "form": "properties"},
            {"text": "a\\ b=\\u20ac = 5\ndb.url=x:y\n"},
            source="Java SE API, java.util.Properties.store",
        ),
        Example(
            {"document": {"title": "x", "owner": {"name": "Tom"}, "p": [{"n": 1}, {"n": 2}]}, "form": "toml"},
            {"text": 'title = "x"\n\n[owner]\nname = "Tom"\n\n[[p]]\nn = 1\n\n[[p]]\nn = 2\n'},
            source="TOML 1.0.0, sections Table and Array of Tables",
        ),
        Refusal({"document": {"a": {"b": {"c": 1}}}, "form": "ini"}, "one level"),
        Refusal({"document": {"a": [None]}, "form": "toml"}, "no null"),
        Refusal({"document": [1], "form": "toml"}, "must be an object"),
        Refusal({"document": {"1A": 1}, "form": "env"}, "not a name"),
    ),
    aliases=(Alias("json_convert_to_toml", constants={"form": "toml"}),),
)
def json_convert_to_settings(
    document: Document, form: Annotated[Literal["ini", "env", "properties", "toml"], About("Kind of file to write")]
) -> Written:
    """Write a JSON object as an INI file, a .env file, Java properties, or TOML with tables and arrays of tables.

    Use it to make settings for programs. Returns the text. Sections of INI are nested objects; properties join nested
    names with dots; both write lists as JSON text. TOML has no null: leave such members out.
    """
    value = read(document)
    if not isinstance(value, dict):
        raise ToolError("The document must be an object of names and values.")
    writers = {"ini": _ini, "env": _env, "properties": _properties, "toml": write_toml}
    return {"text": plain(writers[form](value))}


def _show(value: Any) -> str:
    """A value in one line: text as it is, anything else as JSON; null is empty."""
    if isinstance(value, str):
        return value
    return "" if value is None else dump(value, None)


def _ini(value: dict[str, Any]) -> str:
    lines = [_ini_line(name, part) for name, part in value.items() if not isinstance(part, dict)]
    for section, keys in value.items():
        if isinstance(keys, dict):
            if "]" in section or "\n" in section:
                raise ToolError(f"{section[:60]!r} cannot name a section.")
            lines += ["", f"[{section}]", *(_ini_line(name, part) for name, part in keys.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def _ini_line(name: str, value: Any) -> str:
    if isinstance(value, dict):
        raise ToolError(f"{name[:60]!r} is nested too deep: INI has sections of one level.")
    if not name.strip() or re.search(r"[=:\n\[]|^[#;]", name):
        raise ToolError(f"{name[:60]!r} cannot name a key of INI.")
    return f"{name} = {_show(value)}".rstrip().replace("\n", "\n    ")


def _env(value: dict[str, Any]) -> str:
    lines = []
    for name, part in value.items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise ToolError(f"{name[:60]!r} is not a name of an environment variable: letters, digits and _ only.")
        text = _show(part)
        if not re.fullmatch(r"[\w./:@%+,-]*", text, re.ASCII):
            text = '"' + re.sub(r'([\\"$`])', r"\\\1", text).replace("\n", "\\n") + '"'
        lines.append(f"{name}={text}\n")
    return "".join(lines)


def _properties(value: dict[str, Any], prefix: str = "") -> str:
    lines = []
    for name, part in value.items():
        if isinstance(part, dict):
            lines.append(_properties(part, f"{prefix}{name}."))
        else:
            key = re.sub(r"([\\ =:#!])", r"\\\1", prefix + name)
            text = re.sub(r"^ ", r"\\ ", _show(part).replace("\\", "\\\\"))
            lines.append(f"{_latin(key)}={_latin(text)}\n")
    return "".join(lines)


def _latin(text: str) -> str:
    """Tabs, line ends and characters beyond ASCII as escapes."""
    for char, escape in {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}.items():
        text = text.replace(char, escape)
    units = text.encode("utf-16-be", "surrogatepass")
    codes = [units[place] << 8 | units[place + 1] for place in range(0, len(units), 2)]
    return "".join(chr(code) if 32 <= code < 127 else f"\\u{code:04x}" for code in codes)
