"""HTTP requests as curl commands and as small programs."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import quote_plus

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.web._pages import Address


class Request(TypedDict):
    """A request."""

    url: Annotated[str, About("URL of the request")]
    method: Annotated[str, About("Method")]
    headers: Annotated[dict[str, str], About("Headers, values by name")]
    body: Annotated[str, About("Body; empty where there is none")]
    user: Annotated[str, About("User name and password for basic authentication")]
    form: Annotated[list[str], About("Fields of a multipart form, as name=value")]
    follow_redirects: Annotated[bool, About("Whether redirects are followed")]
    verify_tls: Annotated[bool, About("Whether certificates are verified")]
    ignored: Annotated[list[str], About("Options that do not affect the request")]


_WITH_VALUE = {
    "-X": "method", "--request": "method", "-H": "header", "--header": "header", "-d": "body", "--data": "body",
    "--data-raw": "body", "--data-binary": "body", "--data-ascii": "body", "--json": "json", "-u": "user",
    "--user": "user", "-A": "agent", "--user-agent": "agent", "-e": "referer", "--referer": "referer",
    "-b": "cookie", "--cookie": "cookie", "-F": "form", "--form": "form", "--url": "url",
    "--data-urlencode": "urlencode", "-T": "upload", "--upload-file": "upload", "-o": "", "--output": "",
    "-m": "", "--max-time": "", "--connect-timeout": "", "-w": "", "--write-out": "", "--retry": "", "-x": "",
    "--proxy": "", "-c": "", "--cookie-jar": "",
}  # fmt: skip
_FLAGS = {"-L": "follow", "--location": "follow", "-k": "insecure", "--insecure": "insecure", "-I": "head",
          "--head": "head", "-G": "get", "--get": "get", "--compressed": "compressed"}  # fmt: skip
_HEADERS = {"agent": "User-Agent", "referer": "Referer", "cookie": "Cookie"}


@tool(
    tags="curl parse command convert request headers body shell",
    use_when=(
        "What does this curl command send?",
        "Take curl -X POST -H 'A: b' -d x https://example.com apart.",
        "Turn the copied curl command into a request.",
    ),
    examples=(
        Example(
            {
                "command": "curl -sL 'https://example.com/items' \\\n  -H 'Accept: text/html' -u me:secret "
                '--data-raw \'{"a": 1}\' -H "Content-Type: application/json" --compressed'
            },
            {
                "url": "https://example.com/items",
                "method": "POST",
                "headers": {
                    "Accept": "text/html",
                    "Content-Type": "application/json",
                    "Accept-Encoding": "deflate, gzip",
                },
                "body": '{"a": 1}',
                "user": "me:secret",
                "follow_redirects": True,
                "verify_tls": True,
                "ignored": ["-s"],
            },
            source="the manual of curl: -d makes a POST, --compressed asks for compression",
        ),
        Example(
            {"command": "curl -G -d a=1 -d 'b=2 3' -k example.com -XDELETE"},
            {"url": "http://example.com?a=1&b=2 3", "method": "DELETE", "body": "", "verify_tls": False},
            source="the manual of curl: -G puts the fields into the query, joined by &",
        ),
        Refusal({"command": "wget https://example.com"}, "begin with curl"),
        Refusal({"command": "curl 'https://example.com"}, "quotation"),
    ),
    reply={
        "body": "It sends a {method} request to {url} with the body: {body}",
        "method": "It sends a {method} request to {url} without a body.",
        "": "It sends a {method} request to this address: {url}",
    },
)
def curl_parse_command(
    command: Annotated[
        str, About("curl command", "curl -H 'A: b' https://example.com", min_length=4, max_length=100_000)
    ],
) -> Request:
    """Parse a curl command into method, address, headers and body of the request that it would send.

    Use it to understand or to send a command that was copied from a browser or a manual. Nothing is executed.
    """
    found, flags, ignored = _options(command)
    body = "&".join(found.get("body", []) + found.get("json", []))
    headers = dict(_header(text) for text in found.get("header", []))
    headers |= {name: found[key][-1] for key, name in _HEADERS.items() if key in found}
    if "json" in found:
        headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
    elif "body" in found and "get" not in flags and "content-type" not in {name.lower() for name in headers}:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    if "compressed" in flags:
        headers.setdefault("Accept-Encoding", "deflate, gzip")
    url = found["url"][0] if "://" in found["url"][0] else f"http://{found['url'][0]}"
    if "get" in flags and body:
        url, body = f"{url}{'&' if '?' in url else '?'}{body}", ""
    if "upload" in found:
        body = f"@{found['upload'][-1]}"
    return {
        "url": url,
        "method": found.get("method", [_usual_method(found, flags)])[-1].upper(),
        "headers": headers,
        "body": body,
        "user": found.get("user", [""])[-1],
        "form": found.get("form", []),
        "follow_redirects": "follow" in flags,
        "verify_tls": "insecure" not in flags,
        "ignored": ignored,
    }


def _usual_method(found: Mapping[str, list[str]], flags: set[str]) -> str:
    if "head" in flags:
        return "HEAD"
    if "upload" in found:
        return "PUT"
    sends = found.keys() & {"body", "json", "form"}
    return "POST" if sends and "get" not in flags else "GET"


def _arguments(command: str) -> list[str]:
    """Return the words after `curl`, with combined short options split. Raises `ToolError`."""
    try:
        words = shlex.split(command.replace("\\\r\n", " ").replace("\\\n", " ").replace("^\n", " "))
    except ValueError as error:
        raise ToolError("The command has an unclosed quotation mark. Copy it again.") from error
    if not words or words[0] not in ("curl", "curl.exe"):
        raise ToolError("The command must begin with curl.")
    return _separate(words[1:])


def _options(command: str) -> tuple[dict[str, list[str]], set[str], list[str]]:
    """Return the values by their kinds, the flags, and the options without an effect. Raises `ToolError`."""
    found: dict[str, list[str]] = {}
    flags: set[str] = set()
    ignored: list[str] = []
    rest = iter(_arguments(command))
    for word in rest:
        if word in _WITH_VALUE:
            value, kind = next(rest, ""), _WITH_VALUE[word]
            if kind == "urlencode":
                found.setdefault("body", []).append(_urlencode(value))
            elif kind:
                found.setdefault(kind, []).append(value)
            else:
                ignored.append(f"{word} {value}")
        elif word in _FLAGS:
            flags.add(_FLAGS[word])
        elif word.startswith("-") and len(word) > 1:
            ignored.append(word)
        else:
            found.setdefault("url", []).append(word)
    if "url" not in found:
        raise ToolError("The command contains no URL.")
    return found, flags, ignored


def _separate(words: list[str]) -> list[str]:
    """Split combined short options, such as -sL or -XPOST."""
    apart: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith("--") and equals and name in _WITH_VALUE:
            apart += [name, value]
            continue
        while re.match(r"-[A-Za-z].", word):
            apart.append(word[:2])
            word = word[2:] if word[:2] in _WITH_VALUE else f"-{word[2:]}"  # noqa: PLW2901 - what is left of it
        apart.append(word)
    return apart


def _urlencode(text: str) -> str:
    """Encode the content of content, =content or name=content; files such as @name are kept as they are."""
    name, equals, content = text.partition("=")
    if not equals:
        return text if "@" in text else quote_plus(text)
    return f"{name}={quote_plus(content)}" if name else quote_plus(content)


def _header(text: str) -> tuple[str, str]:
    name, _, value = text.partition(":")
    return name.strip(), value.strip()


class Command(TypedDict):
    """A request as code."""

    code: Annotated[str, About("The command or program")]


@tool(
    tags="curl build command request code python javascript fetch httpie snippet generate",
    use_when=(
        "Write a curl command that posts this JSON.",
        "How do I send this request with Python?",
        "Convert the request to JavaScript fetch.",
    ),
    examples=(
        Example(
            {
                "url": "https://example.com/items?a=1&b=2",
                "method": "PUT",
                "headers": {"Accept": "text/html"},
                "body": "it's",
            },
            {
                "code": "curl -X PUT 'https://example.com/items?a=1&b=2' \\\n  -H 'Accept: text/html' \\\n"
                "  --data-raw 'it'\"'\"'s'"
            },
            source="POSIX shell, section 2.2.2: between single quotes nothing is special",
        ),
        Example(
            {"url": "https://example.com/", "language": "python", "headers": {"A": 'b"c'}},
            {
                "code": "import urllib.request\n\nrequest = urllib.request.Request(\n    'https://example.com/',\n"
                "    method='GET',\n    headers={'A': 'b\"c'},\n    data=None,\n)\n"
                "with urllib.request.urlopen(request) as answer:\n    print(answer.status, answer.read().decode())\n"
            },
            source="the documentation of urllib.request",
        ),
        Refusal({"url": "not an address", "language": "ruby"}, "language must"),
    ),
    reply={
        "args.language": "The request in {args.language}: {code}",
        "": "The request: {code}",
    },
)
def curl_build_command(
    url: Address,
    method: Annotated[
        Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], About("Method of the request")
    ] = "GET",
    headers: Annotated[
        dict[str, Annotated[str, About("Value", max_length=8192)]] | None,
        About("Headers, values by name", {"Accept": "application/json"}),
    ] = None,
    body: Annotated[str | None, About("Body", '{"name": "tea"}', max_length=200_000)] = None,
    language: Annotated[Literal["curl", "python", "javascript"], About("Output language")] = "curl",
) -> Command:
    """Write an HTTP request as a curl command, or as a small program in Python or JavaScript.

    Use it to run a request in a shell or to share it with a colleague. Values are quoted so that special characters
    have no effect.
    """
    sent = headers or {}
    if language == "python":
        data = "None" if body is None else f"{body!r}.encode()"
        return {"code": _PYTHON.format(url=url, method=method, headers=sent, data=data)}
    if language == "javascript":
        options: dict[str, Any] = {"method": method, "headers": sent, **({} if body is None else {"body": body})}
        code = f"const answer = await fetch({json.dumps(url)}, {json.dumps(options, indent=2)});\n"
        return {"code": code + "console.log(answer.status, await answer.text());\n"}
    lines = [f"curl -X {method} {shlex.quote(url)}"] if method != "GET" or body else [f"curl {shlex.quote(url)}"]
    lines += [f"  -H {shlex.quote(f'{name}: {value}')}" for name, value in sent.items()]
    lines += [] if body is None else [f"  --data-raw {shlex.quote(body)}"]
    return {"code": " \\\n".join(lines)}


_PYTHON = """import urllib.request

request = urllib.request.Request(
    {url!r},
    method={method!r},
    headers={headers!r},
    data={data},
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, answer.read().decode())
"""
