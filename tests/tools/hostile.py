"""Arguments for any tool, made of its input schema and its examples: ordinary, on the bounds, and hostile."""

import base64
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

import orjson

from retinue.connections.keyring import OpenedConnection
from retinue.connections.kinds import check_secret, check_settings
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.connection_arguments import named_connections, with_connections
from retinue.tools.verification.mock_web_server import fill_marks
from tests.tools.hostile_files import XML, bad_contents, spoilt

Schema: TypeAlias = Mapping[str, Any]
Place: TypeAlias = tuple[str | int, ...]

TEXTS: Sequence[str] = (
    "", " ", "\0", "a\0b", "\x1b[31m\x07", "\r", "\n\n\n", "\t", "\ufeff", "\u202eevil\u202c", "e\u0301\u0327" * 20,
    "a" + "\u0300" * 2_000, "\U0001f469\u200d\U0001f467", "\U0010ffff", "\ufffe", "ß", "\u0130", "\u2028", "٣", "²",
    "Ⅷ", "../../etc/passwd", "/etc/passwd", "../../canary/planted", "..\\..\\a", "~root/.ssh/id_rsa", "C:\\con",
    "a/" * 500, "file:///etc/passwd", "http://127.0.0.1:9/", "http://169.254.169.254/latest/meta-data/",
    "http://[::1", "javascript:alert(1)", "http://user:pa ss@exa mple:99999/%zz?%u0041#%", "//",
    "data:text/html;base64,!!!", "http://xn--a/", "a" * 70 + ".example", "(a+)+$", "(a|a)*b", "(?P<a>.)(?P=b)", "(",
    "[", "*", "\\", "(?i", "a{99999999}", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 40 + "!",
    "__import__('os').system('id')", "9**9**9**9", "().__class__.__bases__[0].__subclasses__()", "1/0", "0/0",
    "{{7*7}}{{config}}", "{% for a in range(10**9) %}{% endfor %}", "{{''.__class__.__mro__}}", "${7*7}",
    "{0.__class__}", "%s%n%d", "%(a)s", "{", "}", "{}", "{a}", "'; DROP TABLE a; --", "' OR '1'='1",
    "SELECT * FROM read_csv('/etc/passwd')", "COPY (SELECT 1) TO 'a'", "ATTACH '/etc/passwd' AS a",
    "WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT * FROM a) SELECT * FROM a", "PRAGMA a", "=cmd|'/c calc'!A1",
    "+1+1", "-1", "@SUM(A1)", "=HYPERLINK(\"http://127.0.0.1:9\")", "<script>alert(1)</script>", "<", ">", "&",
    "&#xD800;", "&#0;", "&#99999999999;", "&lt", "<!--", "<![CDATA[", "]]>",
    "<?xml version='9' encoding='no-such'?><a/>", "<a>" * 300, "<table>" * 300, "NaN", "Infinity", "-Infinity", "nan",
    "inf", "1e999", "-0", "0x", "1_000", "1,000.5", "--1", "\uff11\uff12", "9" * 5_000, "1" + "0" * 400, "0.1e-400",
    "1e308", "99999999999999999999", "18446744073709551616", "1e100000000", "0000-00-00", "9999-12-31", "10000-01-01",
    "2024-02-30", "1900-02-29", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:60-14:00", "-0001-01-01", "24:00",
    "P99999999999Y", "PT-1S", "Mars/Olympus", "../UTC", "UTC\0", "posix/../../etc/passwd", "null", "true",
    "undefined", "[]", '{"a": NaN}', '"\\ud800"', '{"\\ud800": 1}', '{"a":1,"a":2}', "[1,]", "[" * 3_000,
    '{"a":' * 500, "[[[[" * 60 + "]]]]" * 60, "1e1000", "-", "- - - -", "a: &a [*a]", "&a *a",
    "!!python/object/apply:os.system [id]", "a: b: c", "? a", "a: !!int nope", "<<: 1", "2024-13-45", "[a", "[a]\nb",
    "a = ", "a.b.c = 1\na = 2", "a = 99999999999999999999999999", ",,,", '"a', "a,b\n1", "a|b\n--|", "| |", "```",
    "# " * 50, "[a](", "![](", "> " * 200, "* " * 200, "===", "aGVsbG8", "====", "%00", "%", "\\u0000", "\\x",
    "\\N{}", "import os\nos.system('id')", "def a(:", "lambda: 0", "x" * 9_000, "a " * 5_000, "\n" * 5_000,
    "a\n" * 3_000, "٠١٢", "$ref", "#/$defs/a", '{"$ref": "#"}', '{"$ref": "file:///etc/passwd"}', '{"type": "nope"}',
    '{"pattern": "(a+)+$"}', "$..*", "$[?(@.a)]", "/~2", "/-1", "0", "1", "A", "z", "::1", "::ffff:1.2.3.4",
    "256.1.1.1", "0.0.0.0/0", "::/0", "1.2.3.4/33", "+", "?", ".", "..", "...", "a@b", "@", "#", *XML,
)  # fmt: skip
"""What breaks readers that expect well-meant text."""

HEADERS: Sequence[tuple[str, str]] = (
    ("Content-Type", ""), ("Content-Type", "text/html; charset=no-such"), ("Content-Type", "application/json"),
    ("Content-Type", "text/plain; charset=utf-16"), ("Content-Type", ";;="), ("Content-Encoding", "gzip"),
    ("Content-Encoding", "br, br, no-such"), ("Content-Length", "-1"), ("Transfer-Encoding", "chunked"),
    ("Location", "//["), ("Location", "file:///etc/passwd"), ("Location", "/" + "a" * 5_000), ("Refresh", "0;url=/"),
    ("Set-Cookie", "=;=;;expires=9999"), ("Link", '<>;rel="'), ("Date", "0000-00-00"), ("Last-Modified", "never"),
    ("Cache-Control", "max-age=1e999"), ("Retry-After", "-1"), ("Strict-Transport-Security", "max-age=\xb2"),
    ("Content-Security-Policy", ";;' '" * 99), ("Content-Disposition", 'attachment; filename="../../canary/planted"'),
)  # fmt: skip
"""What no server should send beside its answer."""

_STATUSES = (100, 204, 206, 301, 304, 401, 404, 429, 500, 999)
_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, 1e-300, 1e-9, 1e9, 1e15, 1e16, 1e22, 1e154, 1e300, 1.7976931348623157e308)
_WHOLES = (0, 1, -1, 2, 3, 7, 100, 255, 256, 65_536, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 10**15)
_ITEMS = (0, 1, 2, 3, 40)
_MARKS: dict[str, Any] = {"{site}": "http://127.0.0.1:9", "{dns}": "127.0.0.1:9"}
_MARKS |= {f"{{{server}.port}}": 9 for server in ("dns", "tls", "smtp", "imap")}
_LONGEST = 200_000
_DEEP = 50
"""Requests that are nested more than 64 deep never come to a tool."""
_ID_SIGNS = string.digits + string.ascii_lowercase


@dataclass(frozen=True)
class Trial:
    """A call to try: arguments, and the files that they name."""

    tool: Tool
    args: Mapping[str, Any]
    files: Mapping[str, bytes]


def connect(tool: Tool, args: Mapping[str, Any], marks: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Arguments with a connection of the tool's examples in place of each name of one."""
    examples = fill_marks(list(tool.examples), marks or _MARKS)
    opened = {}
    for name, kind in named_connections(tool.input_schema, args).items():
        given = next(one for example in examples for one in example["connections"].values())
        settings, secret = check_settings(kind, given["settings"]), check_secret(kind, given["secret"])
        opened[name] = OpenedConnection(args[name], kind, settings.model_dump(), secret)
    return with_connections(args, opened)


class Trials:
    """Makes trials of tools. `corpus` are files that some tool is known to read; the same `random`, the same trials."""

    def __init__(self, corpus: Sequence[bytes], random: Random) -> None:
        self._corpus = corpus
        self._random = random
        self._files: dict[str, bytes] = {}
        self._own: Sequence[bytes] = ()

    def trial(self, tool: Tool) -> Trial:
        """One call: mostly an example with a few changes, else all made up."""
        self._files = {}
        example = self._random.choice(tool.examples)
        self._own = [base64.b64decode(text) for each in tool.examples for text in each["files"].values()]
        change = self._random.choice((self._nearby, self._edge, self._hostile, self._hostile))
        if self._random.random() < 0.8:
            args = self._change(tool.input_schema, self._args(example), change)
        else:
            args = self._made_up(tool.input_schema, change, 0)
        return Trial(tool, args, self._files)

    def first_example(self, tool: Tool) -> Trial:
        """The first example of a tool, with files that may be spoilt."""
        self._files = {}
        return Trial(tool, self._args(tool.examples[0]), self._files)

    def answers(self, example: Mapping[str, Any]) -> dict[str, Any]:
        """An example in which the servers that stand in for the internet answer what nobody expects."""
        site = {path: self._page(page) for path, page in example["site"].items()}
        servers = {
            name: {**server, "answers": {asked: self._answer(server["kind"], asked, text) for asked, text in answers}}
            for name, server in example["servers"].items()
            for answers in [server["answers"].items()]
        }
        return {**example, "site": site, "servers": servers}

    def _answer(self, kind: str, asked: str, text: str) -> str:
        """What a server says instead: texts and messages alone, for the others are sent as their rules have it."""
        return self._alter(text) if kind == "text" or asked.startswith("INBOX") else text

    def _page(self, page: Mapping[str, Any]) -> dict[str, Any]:
        body = self._alter(page["body"]) if self._random.random() < 0.8 else self._random.choice(TEXTS)
        odd = [self._random.choice(HEADERS)] if self._random.random() < 0.3 else []
        status = self._random.choice(_STATUSES) if self._random.random() < 0.1 else page["status"]
        return {"body": body, "status": status, "headers": {**page["headers"], **dict(odd)}}

    def _args(self, example: Mapping[str, Any]) -> dict[str, Any]:
        args: dict[str, Any] = orjson.loads(
            orjson.dumps(fill_marks(fill_marks(example["args"], self._file_ids(example)), _MARKS))
        )
        return args

    def _file_ids(self, example: Mapping[str, Any]) -> dict[str, str]:
        """The files of an example under ids of their own, half of them spoilt."""
        spoils = self._random.random() < 0.5
        contents = {name: base64.b64decode(text) for name, text in example["files"].items()}
        return {
            name: self._file(spoilt(content, self._random) if spoils else content) for name, content in contents.items()
        }

    def _file(self, content: bytes) -> str:
        name = "file_" + "".join(self._random.choices(_ID_SIGNS, k=26))
        self._files[name] = content
        return name

    def _any_file(self) -> str:
        if self._random.random() < 0.3:
            return self._file(self._random.choice(bad_contents()))
        content = self._random.choice(self._random.choice((self._own, self._own, self._corpus)) or (b"a,b\n1,2\n",))
        return self._file(content if self._random.random() < 0.3 else spoilt(content, self._random))

    def _change(self, schema: Schema, args: Any, change: Callable[[Schema, Any], Any]) -> Any:
        """The arguments with one to three values changed, and now and then an optional one added or left out."""
        for _ in range(self._random.choice((1, 1, 2, 3))):
            places = list(_places(schema, args, ()))
            if places:
                path, part, value = self._random.choice(places)
                _put(args, path, change(part, value))
        names = [name for name in schema["properties"] if name not in schema.get("required", ())]
        if names and self._random.random() < 0.4:
            name = self._random.choice(names)
            args[name] = self._made_up(schema["properties"][name], change, 1)
        return args

    def _made_up(self, schema: Schema, change: Callable[[Schema, Any], Any], depth: int) -> Any:
        """A value of a schema from nothing."""
        if choices := schema.get("anyOf"):
            return self._made_up(self._random.choice(choices), change, depth)
        if schema.get("type") == "object" and "properties" in schema:
            wanted = schema.get("required", ())
            return {
                name: self._made_up(part, change, depth + 1)
                for name, part in schema["properties"].items()
                if name in wanted or self._random.random() < 0.4
            }
        if schema.get("type") == "array":
            return [self._made_up(schema.get("items", {}), change, depth + 1) for _ in range(self._length(schema))]
        known = [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else [])]
        return change(schema, self._random.choice(known) if known else None)

    def _length(self, schema: Schema) -> int:
        least, most = int(schema.get("minItems", 0)), int(schema.get("maxItems", 40))
        return min(max(self._random.choice(_ITEMS[:4]), least), most)

    def _nearby(self, schema: Schema, value: Any) -> Any:
        """A value not far from one that is known to be good."""
        if (fixed := self._fix(schema)) is not None:
            return fixed
        match value:
            case bool():
                return not value
            case int():
                return min(max(value + self._random.choice((-2, -1, 1, 2, value)), -(2**63)), 2**63 - 1)
            case float():
                return value * self._random.choice((-1.0, 0.5, 1.001, 2.0, 1000.0))
            case str():
                return self._alter(value)
            case list() if value:
                return self._relist(value)
        return self._hostile(schema, value)

    def _edge(self, schema: Schema, value: Any) -> Any:
        """A value on the bounds of its schema."""
        if (fixed := self._fix(schema)) is not None:
            return fixed
        match _kind(schema, value):
            case "integer" | "number":
                bounds = [schema[name] for name in ("minimum", "maximum") if name in schema]
                whole = schema.get("type") == "integer"
                return self._random.choice([int(bound) if whole else bound for bound in bounds] or (0, 1, -1))
            case "string":
                longest = min(schema.get("maxLength", 100), _LONGEST)
                length = self._random.choice((schema.get("minLength", 0), longest, 1))
                unit = self._random.choice((value if isinstance(value, str) and value else "a", "a", "é", "0", "a b\n"))
                return (unit * (length // len(unit) + 1))[:length]
            case "array" if isinstance(value, list) and value:
                most = min(schema.get("maxItems", 100), 2_000)
                length = self._random.choice((schema.get("minItems", 0), most, 1))
                return (value * (length // len(value) + 1))[:length]
        return self._hostile(schema, value)

    def _hostile(self, schema: Schema, value: Any) -> Any:
        """A value meant to break its reader."""
        if (fixed := self._fix(schema)) is not None:
            return fixed
        match _kind(schema, value):
            case "integer":
                return self._random.choice(_WHOLES)
            case "number":
                return self._random.choice((*_FLOATS, *(-number for number in _FLOATS), *_WHOLES))
            case "string":
                if isinstance(value, str) and self._random.random() < 0.5:
                    return self._alter(value)
                return self._random.choice(TEXTS)[: schema.get("maxLength", _LONGEST)]
            case "array":
                items, fill = schema.get("items", {}), value or [None]
                deep = any(isinstance(item, list | dict) for item in fill)
                length = self._random.choice((0, 1, 1, 2) if deep else _ITEMS)
                return [self._hostile(items, self._random.choice(fill)) for _ in range(length)]
            case "object":
                return self._odd_object(schema, value)
        return self._random.choice((*TEXTS[:20], *_FLOATS, *_WHOLES, None, True, [], {}, _nest(_DEEP)))

    def _odd_object(self, schema: Schema, value: Any) -> Any:
        if "properties" in schema:
            return self._made_up(schema, self._hostile, 0)
        inner = schema.get("additionalProperties")
        parts = inner if isinstance(inner, dict) else {}
        fill = list(value.values()) if isinstance(value, dict) and value else [None]
        names = self._random.sample(TEXTS, self._random.choice((0, 1, 3)))
        return {name[:200]: self._hostile(parts, self._random.choice(fill)) for name in names}

    def _fix(self, schema: Schema) -> Any:
        """A value where a schema leaves no freedom: a choice, a switch, a file."""
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        if schema.get("type") == "boolean":
            return self._random.random() < 0.5
        return self._any_file() if schema.get("format") == "file-id" else None

    def _alter(self, text: str) -> str:
        """A text with something cut out, put in, moved or repeated."""
        start = self._random.randrange(len(text) + 1)
        end = start + self._random.choice((1, 1, 3, 10))
        scrap = self._random.choice(TEXTS)[:300]
        return self._random.choice(
            (
                text[:start] + text[end:],
                text[:start] + scrap + text[start:],
                text[:start] + scrap + text[end:],
                text[:start],
                text[start:],
                text[:start] + text[start:end] * 50 + text[end:],
                text[:start] + self._random.choice(string.printable) + text[start + 1 :],
                text.swapcase(),
                (text * 20)[:_LONGEST],
                "\n".join(self._random.sample(lines := text.splitlines(), len(lines))),
            )
        )

    def _relist(self, items: list[Any]) -> list[Any]:
        one = self._random.randrange(len(items))
        return self._random.choice((items[:one], items[one:], items + items[one:], items[::-1], [items[one]] * 3))


def corpus_of(tools: Sequence[Tool]) -> list[bytes]:
    """All files of the examples of tools, each once."""
    texts = (text for tool in tools for example in tool.examples for text in example["files"].values())
    return [base64.b64decode(text) for text in dict.fromkeys(texts)]


def _kind(schema: Schema, value: Any) -> str:
    """The type that a value of a schema may have; that of the known value where the schema leaves it open."""
    kinds: Mapping[type, str] = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return str(schema.get("type") or kinds.get(type(value), "any"))


def _places(schema: Schema, value: Any, path: Place) -> Iterator[tuple[Place, Schema, Any]]:
    """Every value within arguments, with its path and schema."""
    if path:
        yield path, schema, value
    if isinstance(value, dict):
        for name, part in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            yield from _places(inner if isinstance(inner, dict) else {}, part, (*path, name))
    if isinstance(value, list):
        for number, part in enumerate(value[:20]):
            yield from _places(schema.get("items", {}), part, (*path, number))


def _put(args: Any, path: Place, value: Any) -> None:
    for step in path[:-1]:
        args = args[step]
    args[path[-1]] = value


def _nest(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value
