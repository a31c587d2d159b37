"""Meaning of HTTP status codes (RFC 9110) and media types (RFC 6838)."""

from http import HTTPStatus
from mimetypes import MimeTypes
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_CLASSES = {1: "informational", 2: "success", 3: "redirection", 4: "client error", 5: "server error"}
_CACHED = frozenset((200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501))
"""Responses that may be stored heuristically (RFC 9110, section 15.1)."""
_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524))

_PRIVATE = {
    419: ("Page Expired", "The form's token against forgery is missing or too old (Laravel)"),
    420: ("Enhance Your Calm", "The client sends too many requests (formerly Twitter)"),
    444: ("No Response", "The server closed the connection without an answer (nginx)"),
    499: ("Client Closed Request", "The client went away before the answer was there (nginx)"),
    520: ("Unknown Error", "The server behind the proxy answered with something that it cannot read (Cloudflare)"),
    521: ("Web Server Is Down", "The server behind the proxy refuses connections (Cloudflare)"),
    522: ("Connection Timed Out", "No connection to the server behind the proxy came about in time (Cloudflare)"),
    523: ("Origin Is Unreachable", "The server behind the proxy cannot be reached (Cloudflare)"),
    524: ("A Timeout Occurred", "The server behind the proxy took too long to answer (Cloudflare)"),
    525: ("SSL Handshake Failed", "The proxy and the server behind it found no common encryption (Cloudflare)"),
    526: ("Invalid SSL Certificate", "The certificate of the server behind the proxy is not valid (Cloudflare)"),
}
"""Codes that are not registered, but used."""

_ADVICE = {
    301: "Use the address in Location from now on.",
    302: "Follow Location this time; keep the old address.",
    303: "Fetch the address in Location with GET.",
    304: "Use the copy you have: it is still right.",
    307: "Repeat the same request, method and body included, at the address in Location.",
    308: "Repeat the same request at the address in Location, and use that from now on.",
    400: "Read the message of the answer and mend the request: syntax, fields, encoding.",
    401: "Send a credential that is valid: WWW-Authenticate says of which kind.",
    403: "The credential was understood and does not reach this far: ask for the permission.",
    404: "Check the address: spelling, identifier, trailing slash.",
    405: "Use one of the methods that the header Allow names.",
    406: "Ask in Accept for a form that the server has.",
    408: "Send the request again, and faster.",
    409: "Fetch the present state, settle the conflict and send it again.",
    410: "It is gone for good: remove the link.",
    411: "Send Content-Length.",
    412: "It has changed meanwhile: fetch it anew, then repeat with the new ETag.",
    413: "Send less, or in parts.",
    414: "Move the parameters into the body of a POST.",
    415: "Send the body in a form that the server takes, and name it in Content-Type.",
    422: "The form is right and the content is not: mend the fields that the message names.",
    425: "Send the request again after the handshake is complete.",
    426: "Switch to the protocol that the header Upgrade names.",
    428: "Send If-Match with the ETag of the version you have.",
    429: "Wait as many seconds as Retry-After says, then send fewer requests.",
    431: "Send smaller headers: clear the cookies of the site.",
    500: "Not your fault: try again later, and tell whoever runs the server.",
    501: "The server cannot do this: use another method.",
    502: "A proxy got no sound answer from the server behind it: try again later.",
    503: "The server is overloaded or down for a while: try again after Retry-After.",
    504: "A proxy waited in vain for the server behind it: try again, or ask for less at once.",
}


class StatusMeaning(TypedDict):
    """Meaning of a status code."""

    code: int
    phrase: Annotated[str, About("Name of the status")]
    kind: Annotated[str, About("informational, success, redirection, client error or server error")]
    meaning: Annotated[str, About("Meaning of the response")]
    advice: Annotated[str | None, About("Recommended action of the client")]
    registered: Annotated[bool, About("Whether it is registered with IANA, and not specific to a product")]
    worth_retrying: Annotated[bool, About("Whether a retry of the same request may succeed")]
    cacheable: Annotated[bool, About("Whether the response may be stored by default")]


@tool(
    tags="http status code error meaning explain response 404 500 403 502 lookup registry",
    use_when=(
        "What does the HTTP status 404 mean?",
        "Why do I get error 502 from the server, and what can I do?",
        "Is it worth trying again after a 503?",
        "What is the difference between 301 and 308?",
    ),
    examples=(
        Example(
            {"code": 429},
            {
                "phrase": "Too Many Requests",
                "kind": "client error",
                "worth_retrying": True,
                "cacheable": False,
                "code": 429,
                "meaning": 'The user has sent too many requests in a given amount of time ("rate limiting")',
                "advice": "Wait as many seconds as Retry-After says, then send fewer requests.",
            },
            source="RFC 6585, section 4",
        ),
        Example(
            {"code": 410},
            {"phrase": "Gone", "kind": "client error", "worth_retrying": False, "cacheable": True},
            source="RFC 9110, section 15.5.11",
        ),
        Example(
            {"code": 499}, {"registered": False, "kind": "client error"}, source="nginx: NGX_HTTP_CLIENT_CLOSED_REQUEST"
        ),
        Refusal({"code": 299}, "no status code 299"),
        Refusal({"code": 42}, "code must be at least 100"),
    ),
    reply={
        "advice": "{code} means {phrase}: {meaning}. {advice}",
        "meaning": "{code} means {phrase}: {meaning}.",
        "": "{code} means {phrase}, a {kind}.",
    },
)
def http_explain_status(code: Annotated[int, About("Status code", 404, minimum=100, maximum=599)]) -> StatusMeaning:
    """Explain an HTTP status code: its name, what it means, whether to try again, and what to do about it.

    Use it to understand an error of a web site or an API. Common codes of nginx and Cloudflare are included.
    """
    if code in _PRIVATE:
        phrase, meaning = _PRIVATE[code]
    else:
        try:
            status = HTTPStatus(code)
        except ValueError as error:
            raise ToolError(
                f"There is no status code {code}. A client treats it as {code // 100}00, {_CLASSES[code // 100]}."
            ) from error
        phrase, meaning = status.phrase, status.description or status.phrase
    return {
        "code": code,
        "phrase": phrase,
        "kind": _CLASSES[code // 100],
        "meaning": meaning,
        "advice": _ADVICE.get(code),
        "registered": code not in _PRIVATE,
        "worth_retrying": code in _AGAIN,
        "cacheable": code in _CACHED,
    }


_OFFICE = "application/vnd.openxmlformats-officedocument"
_NEWER = {
    ".7z": "application/x-7z-compressed",
    ".apk": "application/vnd.android.package-archive",
    ".avif": "image/avif",
    ".bz2": "application/x-bzip2",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".epub": "application/epub+zip",
    ".flac": "audio/flac",
    ".geojson": "application/geo+json",
    ".gpx": "application/gpx+xml",
    ".gz": "application/gzip",
    ".heic": "image/heic",
    ".ics": "text/calendar",
    ".jsonld": "application/ld+json",
    ".m4a": "audio/mp4",
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".md": "text/markdown",
    ".mkv": "video/x-matroska",
    ".ndjson": "application/x-ndjson",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ogg": "audio/ogg",
    ".opus": "audio/opus",
    ".parquet": "application/vnd.apache.parquet",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".rar": "application/vnd.rar",
    ".rtf": "application/rtf",
    ".sql": "application/sql",
    ".srt": "application/x-subrip",
    ".toml": "application/toml",
    ".ttf": "font/ttf",
    ".vcf": "text/vcard",
    ".vtt": "text/vtt",
    ".wasm": "application/wasm",
    ".webm": "video/webm",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
"""Types that are different or missing in tables of older systems."""


class MediaType(TypedDict):
    """A media type with its file extensions."""

    media_type: Annotated[str, About("As in the header Content-Type")]
    extensions: Annotated[list[str], About("File extensions of this type, with the dot")]
    text: Annotated[bool, About("Whether such files are text")]


@tool(
    tags="mime media type content-type extension file ending lookup header registry",
    use_when=(
        "What is the MIME type of a .webp file?",
        "Which Content-Type do I send for an Excel file?",
        "Which file extension belongs to application/epub+zip?",
        "What kind of file is image/avif?",
    ),
    examples=(
        Example(
            {"name": "report.DOCX"}, {"media_type": f"{_OFFICE}.wordprocessingml.document"}, source="IANA media types"
        ),
        Example({"name": "image/svg+xml"}, {"extensions": [".svg"], "text": True}, source="IANA media types"),
        Example({"name": "json"}, {"media_type": "application/json", "text": True}, source="RFC 8259, section 11"),
        Refusal({"name": ".nothing"}, "no known media type"),
    ),
    reply={
        "extensions": "The media type is {media_type}, with the extension {extensions}.",
        "": "The media type is {media_type}.",
    },
)
def mime_lookup_type(
    name: Annotated[
        str, About("Name or extension of a file, or a media type", "photo.webp", min_length=1, max_length=255)
    ],
) -> MediaType:
    """Look up the media type (MIME type) of a file by its extension (ending), or the file extensions of a media type.

    Use it for Content-Type headers and uploads. It only uses names: file_detect_type examines the content.
    """
    known = _types()
    query = name.strip().lower()
    lookup_type = query if "/" in query else known.get(f".{query.rpartition('.')[2]}")
    endings = sorted(ending for ending, media_type in known.items() if media_type == lookup_type)
    if not lookup_type or not endings:
        raise ToolError(
            f"There is no known media type for {name[:60]}. Give an extension such as .pdf, or a type such as text/csv."
        )
    return {"media_type": lookup_type, "extensions": endings, "text": _is_text(lookup_type)}


def _types() -> dict[str, str]:
    """Return media types by extension, which are the same on every machine."""
    return {**MimeTypes(filenames=()).types_map[True], **_NEWER}


def _is_text(media_type: str) -> bool:
    kind, _, form = media_type.partition("/")
    plain = {"json", "javascript", "sql", "toml", "yaml", "xml", "rtf", "x-subrip", "x-ndjson", "x-sh"}
    return kind == "text" or form in plain or form.endswith(("+xml", "+json"))
