"""HTTP headers: content negotiation, links, media types and Basic credentials."""

import base64
import binascii
import re
from email.message import Message
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_LINK = re.compile(r"<([^>]*)>((?:\s*;\s*[\w!#$&+.^`|~*-]+(?:\s*=\s*(?:\"[^\"]*\"|[^\s;,\"]*))?)*)\s*(?:,|$)")
_PARAMETER = re.compile(r";\s*([\w!#$&+.^`|~*-]+)(?:\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]*)))?")
_WEIGHT = re.compile(r"(0(\.[0-9]{0,3})?|1(\.0{0,3})?)")


class Preference(TypedDict):
    """An accepted value."""

    value: Annotated[str, About("Media type, language, encoding or * for all others")]
    quality: Annotated[float, About("Weight from 0 (refused) to 1")]


class Preferences(TypedDict):
    """Preferences of a client."""

    order: Annotated[list[str], About("Accepted values, most preferred first")]
    preferences: Annotated[list[Preference], About("Values with weights, refused ones at the end")]
    best: Annotated[
        str | None, About("Best of the offered values, or the most preferred one; null if none is acceptable")
    ]
    offered_qualities: Annotated[list[Preference], About("Weight of each offered value, best first")]


class HeaderLink(TypedDict):
    """A link of a header."""

    url: Annotated[str, About("Target URL")]
    rel: Annotated[str, About("Relation to this page, such as next or last")]
    parameters: Annotated[dict[str, str], About("Other parameters")]


class HeaderLinks(TypedDict):
    """The links of a header."""

    links: Annotated[list[HeaderLink], About("Links in order")]
    by_rel: Annotated[dict[str, str], About("URLs by relation, the first of each")]


@tool(
    tags="accept accept-language accept-encoding header parse quality q value preference content negotiation http",
    use_when=(
        "Which language wins for Accept-Language: fr-CH, fr;q=0.9, en;q=0.8?",
        "Parse this Accept header and order the types by preference",
        "Which of these media types would the browser prefer?",
        "Which encoding does Accept-Encoding: br;q=1.0, gzip;q=0.8 prefer?",
    ),
    examples=(
        Example(
            {"header": "da, en-gb;q=0.8, en;q=0.7"},
            {"order": ["da", "en-gb", "en"], "best": "da"},
            source="RFC 9110, section 12.5.4",
        ),
        Example(
            {"header": "Accept: text/*, text/plain, text/plain;format=flowed, */*"},
            {"order": ["text/plain;format=flowed", "text/plain", "text/*", "*/*"]},
            source="RFC 9110, section 12.5.1: the most specific first",
        ),
        Example(
            {
                "header": "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4,"
                " */*;q=0.5",
                "offered": ["text/html", "image/jpeg", "text/plain"],
            },
            {
                "best": "text/plain",
                "offered_qualities": [
                    {"value": "text/plain", "quality": 0.7},
                    {"value": "image/jpeg", "quality": 0.5},
                    {"value": "text/html", "quality": 0.3},
                ],
            },
            source="RFC 9110, section 12.5.1, table 5",
        ),
        Refusal({"header": "en;q=2"}, "from 0 to 1"),
    ),
    reply={
        "args.offered, best": "{best} wins. The order of preference: {order}",
        "args.offered": "None of the offered values is acceptable.",
        "best, order": "{best} comes first. The order of preference: {order}",
        "": "Nothing is accepted.",
    },
)
def http_rank_preferences(
    header: Annotated[
        str, About("Accept, Accept-Language, Accept-Encoding or Accept-Charset", "fr-CH, fr;q=0.9", max_length=10_000)
    ],
    offered: Annotated[
        list[Annotated[str, About("An offered value", max_length=200)]] | None,
        About("Values that the server can send, to find the best", ["en", "de"], max_items=200),
    ] = None,
) -> Preferences:
    """Rank (order) the preferences of an Accept, Accept-Language or Accept-Encoding header by its q values (RFC 9110).

    With the values that a server offers, the best of them is returned. Among equal weights, the more specific comes
    first, then the written order applies.
    """
    bare = re.sub(r"(?i)^\s*accept(-\w+)?\s*:", "", header)
    ranges = [_range(part) for part in bare.split(",") if part.strip()]
    if not ranges:
        raise ToolError("The header is empty. Write values separated by commas, such as fr, en;q=0.8.")
    ranked = sorted(ranges, key=lambda one: (-one["quality"], -_specificity(one["value"])))
    order = [one["value"] for one in ranked if one["quality"] > 0]
    weighed: list[Preference] = [{"value": one, "quality": _quality(one, ranges)} for one in offered or []]
    weighed.sort(key=lambda one: -one["quality"])
    fitting = [one["value"] for one in weighed if one["quality"] > 0] if offered else order
    return {
        "order": order,
        "preferences": ranked,
        "best": fitting[0] if fitting else None,
        "offered_qualities": weighed,
    }


@tool(
    tags="link header parse rel next prev last first pagination rfc8288 preload github api http",
    use_when=(
        'Parse the Link header <https://api.example.com/items?page=2>; rel="next"',
        "Which is the next page in this Link header?",
        "Take apart the pagination links of an API",
    ),
    examples=(
        Example(
            {
                "header": 'Link: <https://api.example.com/i?page=2>; rel="next", '
                "<https://api.example.com/i?page=9>; rel=last"
            },
            {
                "by_rel": {"next": "https://api.example.com/i?page=2", "last": "https://api.example.com/i?page=9"},
                "links": [
                    {"url": "https://api.example.com/i?page=2", "rel": "next", "parameters": {}},
                    {"url": "https://api.example.com/i?page=9", "rel": "last", "parameters": {}},
                ],
            },
            source="GitHub documentation, Using pagination in the REST API",
        ),
        Example(
            {"header": '<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"'},
            {"links": [{"rel": "previous", "parameters": {"title": "previous chapter"}}]},
            source="RFC 8288, section 3.5",
        ),
        Refusal({"header": "https://example.com"}, "angle brackets"),
    ),
    reply={
        "by_rel.next": "The next page is {by_rel.next}.",
        "by_rel": "The links: {by_rel}",
        "links": "The links: {links}",
        "": "There are no links in this header.",
    },
)
def http_parse_links(
    header: Annotated[
        str,
        About("Value of a Link header", '<https://example.com/?page=2>; rel="next"', min_length=1, max_length=50_000),
    ],
) -> HeaderLinks:
    """Parse a Link header (RFC 8288) into addresses with their relations, such as next and last of paged APIs.

    Returns the links with all parameters, and the address of each relation.
    """
    bare = re.sub(r"(?i)^\s*link\s*:", "", header)
    links = [_link(found[1], found[2]) for found in _LINK.finditer(bare)]
    if not links:
        raise ToolError(
            'The text contains no link. Addresses are in angle brackets: <https://example.com>; rel="next".'
        )
    by_rel: dict[str, str] = {}
    for link in links:
        for rel in link["rel"].split():
            by_rel.setdefault(rel, link["url"])
    return {"links": links[:1000], "by_rel": by_rel}


def _link(url: str, rest: str) -> HeaderLink:
    parameters = {found[1].lower(): found[2] or found[3] or "" for found in _PARAMETER.finditer(rest)}
    return {"url": url.strip(), "rel": parameters.pop("rel", ""), "parameters": parameters}


def _range(part: str) -> Preference:
    """Parse a value with its parameters, and its weight."""
    value, *parameters = (piece.strip() for piece in part.split(";"))
    weights = [one.partition("=")[2].strip() for one in parameters if re.match(r"(?i)q\s*=", one)]
    if weights and not _WEIGHT.fullmatch(weights[0]):
        raise ToolError(f"q={weights[0][:20]} is not a weight. It must be from 0 to 1 with up to three decimals.")
    own_parameters = [one for one in parameters if one and not re.match(r"(?i)q\s*=", one)]
    return {"value": ";".join([value, *own_parameters]), "quality": float(weights[0]) if weights else 1.0}


def _specificity(value: str) -> int:
    """Return the specificity of a range: any, a type, one value, one with parameters."""
    bare = value.partition(";")[0]
    wide = 0 if bare in ("*", "*/*") else 1 if bare.endswith("/*") else 2
    return wide + value.count(";")


def _quality(offer: str, ranges: list[Preference]) -> float:
    """Return the weight of the most specific range that matches an offer; 0 if there is none."""
    fitting = [one for one in ranges if _covers(one["value"].lower(), offer.strip().lower())]
    best = max(fitting, key=lambda one: (_specificity(one["value"]), len(one["value"])), default=None)
    return best["quality"] if best else 0.0


def _covers(accepted: str, offer: str) -> bool:
    if accepted in ("*", "*/*", offer) or offer.startswith(f"{accepted};"):
        return True
    return offer.startswith(accepted[:-1] if accepted.endswith("/*") else f"{accepted}-")


class MediaType(TypedDict):
    """Parts of a media type, or of a similar header."""

    value: Annotated[str, About("Value without parameters: text/csv")]
    type: str | None
    subtype: str | None
    suffix: Annotated[str | None, About("Structured syntax suffix: json of application/problem+json")]
    parameters: dict[str, str]
    charset: str | None


@tool(
    tags="content-type media type mime header parameters charset boundary content-disposition filename attachment",
    use_when=(
        "Which charset and media type are in Content-Type: text/csv; charset=utf-8; header=present?",
        'What filename does Content-Disposition: attachment; filename="report 2024.pdf" give?',
        "Boundary of multipart/form-data; boundary=----abc123",
    ),
    examples=(
        Example(
            {"header": "Content-Type: text/csv; charset=utf-8; header=present"},
            {
                "value": "text/csv",
                "subtype": "csv",
                "charset": "utf-8",
                "parameters": {"charset": "utf-8", "header": "present"},
            },
            source="RFC 9110, section 8.3.1",
        ),
        Example(
            {"header": "attachment; filename*=UTF-8''na%C3%AFve%20plan.txt"},
            {"value": "attachment", "parameters": {"filename": "naïve plan.txt"}, "type": None},
            source="RFC 8187",
        ),
        Example({"header": "application/problem+json"}, {"suffix": "json"}, source="RFC 9457"),
        Refusal({"header": ";"}, "no value"),
    ),
    reply={
        "parameters.filename": "The file name is {parameters.filename}.",
        "charset": "The type is {value} in the charset {charset}.",
        "parameters": "The type is {value}, with these parameters: {parameters}",
        "": "The type is {value}.",
    },
)
def media_type_parse(
    header: Annotated[
        str,
        About(
            "Value of the header, with or without its name", "text/csv; charset=utf-8", min_length=1, max_length=4000
        ),
    ],
) -> MediaType:
    """Parse a Content-Type or Content-Disposition header: type, charset, file name and other parameters."""
    name, colon, rest = header.partition(":")
    is_named = bool(colon) and name.strip().replace("-", "").isalpha()
    message = Message()
    message["Content-Type"] = (rest if is_named else header).strip()
    (value, _), *pairs = message.get_params(failobj=[("", "")])
    if not value:
        raise ToolError("The header has no value before its parameters. Write it as text/csv; charset=utf-8.")
    parameters = {key: _decode(message, key) for key, _ in pairs}
    kind, slash, subtype = value.partition("/")
    return {
        "value": value,
        "type": kind if slash else None,
        "subtype": subtype if slash else None,
        "suffix": subtype.rpartition("+")[2] if "+" in subtype else None,
        "parameters": parameters,
        "charset": parameters.get("charset"),
    }


def _decode(message: Message, key: str) -> str:
    """Return the parameter's text, which has three parts if its charset is stated (RFC 2231)."""
    value = message.get_param(key)
    if isinstance(value, tuple):
        charset, _, text = value
        return text.encode("latin-1").decode(charset or "ascii", errors="replace")
    return str(value)


class BasicCredentials(TypedDict):
    """A Basic authorization header with its content."""

    header: Annotated[str, About("Authorization: Basic …")]
    token: Annotated[str, About("Value after Basic")]
    user: str
    password: str


@tool(
    tags="basic auth authorization header user password base64 http credentials encode decode",
    use_when=(
        "Authorization header for user Aladdin and password open sesame",
        "Which user is in Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==?",
    ),
    examples=(
        Example(
            {"user": "Aladdin", "password": "open sesame"},
            {"header": "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
            source="RFC 7617, section 2",
        ),
        Example(
            {"header": "Basic dGVzdDoxMjPCow=="}, {"user": "test", "password": "123£"}, source="RFC 7617, section 2.1"
        ),
        Refusal({"header": "Basic ???"}, "no Basic credentials"),
        Refusal({"user": "a:b", "password": "c"}, "colon"),
    ),
    reply={
        "args.header": "The user is {user} and the password {password}.",
        "args.header, user": "The user is {user}, without a password.",
        "": "{header}",
    },
)
def basic_auth_convert(
    user: Annotated[str | None, About("User name", "Aladdin", max_length=1000)] = None,
    password: Annotated[str | None, About("Password", "open sesame", max_length=1000)] = None,
    header: Annotated[
        str | None, About("Header to decode, instead of both", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", max_length=4000)
    ] = None,
) -> BasicCredentials:
    """Build the Authorization header of HTTP Basic (RFC 7617) from user and password, or read (decode) one."""
    if header is not None:
        user, password = _read(header)
    if user is None or password is None:
        raise ToolError("Give user and password, or a header.")
    if ":" in user:
        raise ToolError("A user name must not contain a colon.")
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"header": f"Authorization: Basic {token}", "token": token, "user": user, "password": password}


def _read(header: str) -> tuple[str, str]:
    token = header.rsplit(maxsplit=1)[-1] if header.strip() else ""
    try:
        user, colon, password = base64.b64decode(token, validate=True).decode().partition(":")
    except (binascii.Error, ValueError) as error:
        raise ToolError("The text contains no Basic credentials.") from error
    if not colon:
        raise ToolError("The text contains no Basic credentials: a colon is missing.")
    return user, password
