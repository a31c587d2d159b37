"""Web escapes: query strings, percent-encoding, entities."""

import html
import re
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, quote, quote_plus, unquote, unquote_plus, urlencode

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.data_formats._values import Value, Written, dump, plain

_MOST_FIELDS = 10_000
_SAFE = {"component": "-._~", "path": "-._~!$&'()*+,;=:@/", "url": "-._~:/?#[]@!$&'()*+,;=%"}

Piece = Annotated[str, About("Text to convert", "a b&c=\u20ac", max_length=200_000)]


@tool(
    tags="query string url parameters parse decode form urlencoded",
    use_when=(
        "Parse the query string ?q=tea+time&tag=a&tag=b",
        "Which parameters has this URL?",
        "Decode the form body user[name]=Kim&user[age]=7",
        "Which parameters has this link?",
        "Split the query of a URL into names and values",
    ),
    examples=(
        Example(
            {"query": "https://example.com/s?q=tea+time&tag=a&tag=b&x%5By%5D=%E2%82%AC&flag#top"},
            {"value": {"q": "tea time", "tag": ["a", "b"], "x": {"y": "\u20ac"}, "flag": ""}},
            source="URL Standard, section 5.1; brackets as PHP reads them",
        ),
        Example(
            {"query": "a[]=1&a[]=2&b[c]=3", "brackets": False},
            {"value": {"a[]": ["1", "2"], "b[c]": "3"}},
            "URL Standard, section 5.1",
        ),
        Refusal({"query": "a=1&a[b]=2"}, "both a value and a container"),
        Refusal({"query": "a&" * 10_000}, "more than 10,000 parameters"),
    ),
    reply={
        "value": "The parameters: {value}",
        "": "There are no parameters.",
    },
)
def query_string_parse(
    query: Annotated[str, About("Query string, or a URL with one", "?q=tea+time&tag=a&tag=b", max_length=200_000)],
    brackets: Annotated[bool, About("Whether names like user[name] and tag[] become objects and lists")] = True,
) -> Value:
    """Parse a URL's query string or a form body to a JSON object, with repeated and bracketed names.

    Use it to see the parameters of a link or request. Returns texts; repeated names become lists.
    """
    root: dict[str, Any] = {}
    try:
        pairs = parse_qsl(_query_of(query).partition("#")[0], keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise ToolError(f"The query has more than {_MOST_FIELDS:,} parameters. Parse it in parts.") from error
    for name, value in pairs:
        head, bracket, rest = name.partition("[") if brackets and name.endswith("]") else (name, "", "")
        steps = [head, *rest[:-1].split("][")] if head and bracket else [name]
        _place(root, steps, value)
    return {"value": plain(root)}


def _query_of(text: str) -> str:
    """Return the query of a URL, or the whole text if it is a query string, whose values may contain ? and URLs."""
    head, mark, rest = text.partition("?")
    if re.match(r"\s*[a-z][a-z0-9+.-]*://", head, re.IGNORECASE):
        return rest
    return rest if mark and not set("=&") & set(head) else text


@tool(
    tags="query string url parameters build encode form urlencoded",
    use_when=(
        "Build a query string from these parameters",
        "Add q=tea time and tags a, b to this URL",
        "Encode these form fields as application/x-www-form-urlencoded",
    ),
    examples=(
        Example(
            {"parameters": {"q": "tea time", "tag": ["a", "b"], "on": True, "no": None}},
            {"text": "q=tea+time&tag=a&tag=b&on=true"},
            "URL Standard, section 5.2",
        ),
        Example(
            {
                "parameters": {"u": {"n": "\u20ac"}, "t": [1]},
                "url": "https://example.com/?a=1#top",
                "lists": "brackets",
                "space": "%20",
            },
            {"text": "https://example.com/?a=1&u%5Bn%5D=%E2%82%AC&t%5B%5D=1#top"},
            source="RFC 3986, section 2.1",
        ),
        Refusal({"parameters": {"a": [[1]]}}, "nested"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def query_string_build(
    parameters: Annotated[
        dict[str, Any], About("Names and values, lists for repeated ones", {"q": "tea time", "tag": ["a", "b"]})
    ],
    url: Annotated[
        str | None, About("URL to add the parameters to", "https://example.com/search", max_length=20_000)
    ] = None,
    lists: Annotated[
        Literal["repeat", "brackets", "comma"], About("Format of lists: a=1&a=2, a[]=1&a[]=2 or a=1,2")
    ] = "repeat",
    space: Annotated[Literal["+", "%20"], About("Encoding of a space")] = "+",
) -> Written:
    """Build a URL's query string from a JSON object, or add the parameters to a URL.

    Use it for links and form bodies. Returns the text, percent-encoded; null omits a parameter.
    """
    pairs = [pair for name, value in parameters.items() for pair in _pairs(name, value, lists)]
    query = urlencode(pairs, quote_via=quote_plus if space == "+" else quote, errors="replace")
    if url is None:
        return {"text": query}
    base, hash_mark, fragment = url.partition("#")
    join = "" if base.endswith(("?", "&")) else "&" if "?" in base else "?"
    return {"text": f"{base}{join if query else ''}{query}{hash_mark}{fragment}"}


@tool(
    tags="url percent encode decode escape urlencode uri component",
    use_when=(
        "URL-encode 'a b&c'",
        "Decode %E2%82%AC%20rates",
        "Escape this path for a URL",
        "Escape spaces and ampersands for a URL",
        "Decode %20 and %C3%BC in a link",
    ),
    examples=(
        Example(
            {"text": "\u30a2 /?"},
            {"text": "%E3%82%A2%20%2F%3F"},
            source="RFC 3986, section 2.5: katakana A is %E3%82%A2",
        ),
        Example({"text": "/a b/\u00fc;x", "part": "path"}, {"text": "/a%20b/%C3%BC;x"}, source="RFC 3986, section 3.3"),
        Example(
            {"text": "a+b%20%E3%82%A2", "action": "decode", "part": "form"},
            {"text": "a b \u30a2"},
            source="URL Standard, section 5.1",
        ),
        Refusal({"text": "%FF", "action": "decode"}, "not UTF-8"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def url_encode_percent(
    text: Piece,
    action: Annotated[Literal["encode", "decode"], About("Operation")] = "encode",
    part: Annotated[
        Literal["component", "path", "url", "form"],
        About(
            "Kind of text; component escapes every mark except -._~, path and url keep theirs, form writes + for a "
            "space"
        ),
    ] = "component",
) -> Written:
    """Percent-encode or decode a text for a URL (RFC 3986), as a component, a path, a whole URL or a form field.

    Use it to put text into links or to read them. Returns the text.
    """
    if action == "encode":
        return {
            "text": quote_plus(text, errors="replace") if part == "form" else quote(text, _SAFE[part], errors="replace")
        }
    try:
        return {"text": (unquote_plus if part == "form" else unquote)(text, errors="strict")}
    except UnicodeDecodeError as error:
        raise ToolError("The decoded bytes are not UTF-8. They may be Latin-1.") from error


@tool(
    tags="html entities escape unescape ampersand lt gt special characters xml",
    use_when=("Escape <b>Tom & Jerry</b> for HTML", "Decode &eacute;&nbsp;&#8364;", "Turn umlauts into HTML entities"),
    examples=(
        Example(
            {"text": "<a href='x'>\u20ac&</a>"},
            {"text": "&lt;a href=&#x27;x&#x27;&gt;\u20ac&amp;&lt;/a&gt;"},
            "HTML Standard, section 13.1.4",
        ),
        Example(
            {"text": "\u20ac \u00e9 \U0001d11e", "ascii_only": True},
            {"text": "&#8364; &#233; &#119070;"},
            source="Unicode code points",
        ),
        Example(
            {"text": "&eacute;&#8364;&#x1D11E;&notit; &amp;lt;", "action": "unescape"},
            {"text": "\u00e9\u20ac\U0001d11e\u00acit; &lt;"},
            "HTML Standard, section 13.2.5.73, the example notit",
        ),
        Refusal({"text": 5}, "must be text"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def html_escape_entities(
    text: Text,
    action: Annotated[Literal["escape", "unescape"], About("Operation")] = "escape",
    ascii_only: Annotated[bool, About("Whether characters outside ASCII become numeric entities too")] = False,
) -> Written:
    """Escape text for HTML and XML, or convert named and numeric entities back to characters.

    Use it to show markup literally or to read scraped text. Returns the text.
    """
    if action == "unescape":
        return {"text": plain(html.unescape(text))}
    escaped = html.escape(text)
    return {"text": escaped.encode("ascii", "xmlcharrefreplace").decode() if ascii_only else escaped}


def _place(root: dict[str, Any], steps: list[str], value: str) -> None:
    """Set a value at the end of the steps; an empty step appends to a list."""
    *names, last = steps
    appended = last == "" and bool(names)
    if appended:
        *names, last = names
    inner = root
    for name in names:
        part = inner.setdefault(name, {})
        if not isinstance(part, dict):
            raise ToolError(f"{name[:60]!r} is both a value and a container. Set brackets to false.")
        inner = part
    known = inner.get(last)
    if isinstance(known, dict):
        raise ToolError(f"{last[:60]!r} is both a value and a container. Set brackets to false.")
    if known is None:
        inner[last] = [value] if appended else value
    else:
        inner[last] = [*(known if isinstance(known, list) else [known]), value]


def _pairs(name: str, value: Any, lists: str) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for key, part in value.items() for pair in _pairs(f"{name}[{key}]", part, lists)]
    if isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            raise ToolError(f"The list {name[:60]!r} contains nested values, which a query string cannot represent.")
        items = [_scalar(item) for item in value]
        if lists == "comma":
            return [(name, ",".join(items))]
        return [(f"{name}[]" if lists == "brackets" else name, item) for item in items]
    return [] if value is None else [(name, _scalar(value))]


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else dump(value, None)
