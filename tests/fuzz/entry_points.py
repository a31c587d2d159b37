"""Draws requests for every entry point: API, other clients, tools, OAuth, portal, rooms, documentation."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlencode

from retinue.core.http.operations import BASE, Operation
from retinue.openapi.examples import BODIES, QUERIES
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from tests.fuzz import other_clients
from tests.fuzz.other_clients import OtherClients
from tests.fuzz.values import Values
from tests.fuzz.wire import Request
from tests.fuzz.world import OPERATIONS, RECORDS, Form, World
from tests.tools.hostile import Trials

Header = tuple[bytes, bytes]

_FORM = b"application/x-www-form-urlencoded"
_JSON = b"application/json"
_METHODS = (b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"TRACE", b"PROPFIND", b"get", b"QUERY")
_SEGMENTS = (
    b"0", b"-1", b"1", b"00001", b"9" * 19, b"9" * 20, b"9" * 5_000, b"%00", b"%ff", b"%ed%a0%80", b"%2f", b"%2e%2e",
    b"..",
    b".", b"", b"+1", b"1.0", b"1e3", b"%D9%A1", b"%C2%B2", b"null", b"new", b"current", b"live", b"a" * 2_000, b"%",
    b"%zz",
    b"\xff\xfe", b"{id}", b"*", b";a=b", b"%20", b"%0d%0aX:%20y", b"conv_" + b"z" * 300, b"file_" + b"0" * 26, b"req_",
)  # fmt: skip
_CONTENT_TYPES = (
    b"", b"application/json; charset=utf-16", b"application/json; charset=no-such", b"text/plain", _FORM,
    b"multipart/form-data",
    b"multipart/form-data; boundary=", b"multipart/form-data; boundary=" + b"a" * 300, b"application/sdp", b";;=",
    b"\xff",
    b"application/x-www-form-urlencoded; charset=utf-7", b"application/json, text/html", b"a" * 5_000,
)  # fmt: skip
_RAW_BODIES = (
    b"", b"{", b"null", b"[]", b"0", b'"a"', b"[" * 100_000, b'{"a":' * 20_000, b"\xff\xfe", b'"\\ud800"',
    b"{}" * 1_000,
    b"\0" * 100, b'{"a": NaN}', b'{"a": 1e400}', b'{"a": ' + b"9" * 5_000 + b"}", b'{"a":1,"a":2}', b"\xef\xbb\xbf{}",
    b'{"agent_name": "\\u0000"}', b"%", b"a=%ff&b=%00&=&&a", b"a" * 70_000, b"=&" * 3_000, b"{}".join([b"\n"] * 20),
    '{"a": 1}'.encode("utf-16"), b'{"message": "\\ud83d"}',
)  # fmt: skip
_OFFER = (
    "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=audio 9 UDP/TLS/RTP/SAVPF 111 0 8",
    "c=IN IP4 0.0.0.0", "a=rtcp:9 IN IP4 0.0.0.0", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx",
    "a=fingerprint:sha-256 " + ":".join(["AB"] * 32), "a=setup:actpass", "a=mid:0", "a=sendrecv", "a=rtcp-mux",
    "a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;useinbandfec=1", "a=ssrc:1001 cname:a",
    "a=candidate:1 1 udp 2130706431 127.0.0.1 50000 typ host", "a=end-of-candidates",
)  # fmt: skip
_OAUTH_FIELDS = (
    "grant_type", "code", "redirect_uri", "client_id", "client_secret", "refresh_token", "code_verifier", "scope",
    "token",
    "token_type_hint", "state", "response_type", "code_challenge", "code_challenge_method", "resource", "decision",
    "email",
    "password", "prompt", "client_assertion",
)  # fmt: skip
_OAUTH_WORDS = (
    "authorization_code", "refresh_token", "client_credentials", "password", "code", "token", "S256", "plain", "allow",
    "deny", "https://example.com/callback", "http://localhost:1/", "javascript:alert(1)", "agents:read usage:read", "*",
)  # fmt: skip
_PAGES = ("/overview", "/playground", "/docs", "/users", "/moderation", "/health", "/tools", "/palette?q=a", "/usage")
_PUBLIC = (
    "/docs", "/docs/tools", "/docs/tools/search?q=", "/healthz", "/readyz", "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource", f"/.well-known/oauth-protected-resource{BASE}", f"{BASE}/openapi.json",
    BASE,
    "/rooms/room.js", "/static/1/base.css", "/static/x/../../etc/passwd", "/api", "/", "/favicon.ico", "/robots.txt",
    "/mcp",
)  # fmt: skip
_IN_WORKERS = 0.15
"""The share of calls of tools that need a process: they take most time, and have a fuzzer of their own."""
_PLAIN = ("live", "sandbox", "session", "operator", "oauth")
_SHUNNED = {"sign_out", "delete_account", "change_password"}
"""Operations that mostly end the credential that they are sent with."""


class _FileTrials(Trials):
    """Trials of tools that name files which the server has."""

    def __init__(self, files: Callable[[], Sequence[str]], chance: Random) -> None:
        super().__init__([], chance)
        self._ids, self._chance = files, chance

    def _file(self, content: bytes) -> str:
        return self._chance.choice(self._ids() or ["file_00000000000000000000000000"])


class EntryPoints:
    """Draws requests. The same seed and the same world give the same requests."""

    def __init__(self, world: World, chance: Random) -> None:
        self._world = world
        self._chance = chance
        self._values = Values(chance, world.document["components"]["schemas"])
        tools = list(Catalogue.load())
        self._inside, self._workers = [one for one in tools if one.inside], [one for one in tools if not one.inside]
        self.others = OtherClients(chance, self._values)
        self._trials = _FileTrials(lambda: world.ids("/files/{id}"), chance)
        self._entry_points: Mapping[Callable[[], Request], int] = {
            self._operation: 50,
            self._other_client: 6,
            self._mcp_client: 3,
            self._tool: 8,
            self._page: 10,
            self._form: 12,
            self._oauth: 8,
            self._room: 3,
            self._public: 3,
        }

    def draw(self) -> Request:
        """Return the next request."""
        (draw,) = self._chance.choices(list(self._entry_points), list(self._entry_points.values()))
        return draw()

    def _operation(self) -> Request:
        operation = self._chance.choice(OPERATIONS)
        if operation.name in _SHUNNED and self._chance.random() < 0.98:
            operation = self._chance.choice(OPERATIONS[:100])
        if operation.method == "DELETE" and self._chance.random() < 0.6:
            operation = self._chance.choice(OPERATIONS)
        described = self._world.document["paths"][operation.address][operation.method.lower()]
        target = operation.base.encode() + self._path(operation) + self._query(operation, described)
        headers = self._credential() if operation.scope else []
        body, kind = self._body(operation, described)
        if kind:
            headers.append((b"Content-Type", kind))
        method = operation.method.encode() if self._chance.random() < 0.98 else self._chance.choice(_METHODS)
        return Request(f"{operation.method} {operation.address}", method, target, self._with_odd(headers), body)

    def _path(self, operation: Operation) -> bytes:
        """Return the operation's path with a known record, or with odd segments."""
        template = operation.path
        record = template[: template.rindex("}") + 1] if "{" in template else ""
        known = self._world.paths.get(record, [])
        if record == "/tools/{name}":
            known = [f"/tools/{self._tool_name()}"]
        if known and self._chance.random() < 0.92:
            return (self._chance.choice(known) + template[len(record) :]).encode()
        parts = template.encode().split(b"/")
        return b"/".join(self._chance.choice(_SEGMENTS) if part.startswith(b"{") else part for part in parts)

    def _tool_name(self) -> str:
        return self._chance.choice((self._inside, self._workers)[self._chance.random() < 0.5]).name

    def _query(self, operation: Operation, described: Mapping[str, Any]) -> bytes:
        parameters = [one for one in described.get("parameters", ()) if one.get("in") == "query"]
        chosen = [one for one in parameters if self._chance.random() < 0.5]
        pairs = [(one["name"], self._parameter(operation, one)) for one in chosen]
        if self._chance.random() < 0.03:
            pairs.append((self._values.text()[:300], self._values.text()[:2_000]))
        if self._chance.random() < 0.02:
            return b"?" + self._chance.choice(_RAW_BODIES)[:3_000].translate(None, b" \r\n\0")
        return b"?" + _encode(pairs).encode() if pairs else b""

    def _parameter(self, operation: Operation, described: Mapping[str, Any]) -> Any:
        examples = QUERIES.get(operation.name, {})
        if described["name"] in examples and self._chance.random() < 0.3:
            return examples[described["name"]]
        if self._chance.random() < 0.4:
            return self._values.word()
        return self._values.of(described.get("schema", {}))

    def _body(self, operation: Operation, described: Mapping[str, Any]) -> tuple[bytes | None, bytes]:
        """Return a body and its content type."""
        content = described.get("requestBody", {}).get("content", {})
        if self._chance.random() < 0.04:
            return self._chance.choice(_RAW_BODIES), _JSON
        if "multipart/form-data" in content:
            return self._multipart([("file", self._values.text()), ("name", self._values.text()[:300])])
        if "application/json" not in content:
            return None, b""
        schema = content["application/json"].get("schema", {})
        example = BODIES.get(operation.name)
        if example is not None and self._chance.random() < 0.75:
            body = self._values.near(schema, example)
        else:
            body = self._values.of(schema)
        if isinstance(body, dict):
            self._name_records(body)
        return _dump(body), _JSON

    def _other_client(self) -> Request:
        """Draw a request of OpenAI's, Anthropic's or A2A clients."""
        operation = self._chance.choice(other_clients.OPERATIONS)
        models = ["alfred-default", *(f"agent:{number}" for number in self._world.ids("/agents/{id}"))]
        target = quote(_utf8(self.others.path(operation.address, models)), safe="/:").encode()
        headers = self._credential()
        if self._chance.random() < 0.3:
            headers = [(b"x-api-key", value.removeprefix(b"Bearer ")) for _, value in headers]
        if self._chance.random() < 0.3:
            headers.append((b"anthropic-version", b"2023-06-01"))
        if self._chance.random() < 0.8:
            headers.append((b"A2A-Version", b"1.0"))
        body = None
        if operation.name in other_clients.BODIES:
            draw = self._chance.random()
            body = _dump(self.others.body(operation.name, models)) if draw < 0.96 else self._chance.choice(_RAW_BODIES)
            headers.append((b"Content-Type", _JSON))
        method = operation.method.encode() if self._chance.random() < 0.98 else self._chance.choice(_METHODS)
        return Request(f"{operation.method} {operation.address}", method, target, self._with_odd(headers), body)

    def _mcp_client(self) -> Request:
        """Draw a message to the MCP server."""
        named, message = self.others.message()
        headers = self._credential() + [(name.encode(), value.encode()) for name, value in named.items()]
        body = _dump(message) if self._chance.random() < 0.96 else self._chance.choice(_RAW_BODIES)
        headers.append((b"Content-Type", _JSON))
        query = self._chance.choice((b"", b"", b"?tools=all", b"?agents=1", b"?tools=%00,a&agents=x"))
        return Request("MCP", b"POST", b"/mcp" + query, self._with_odd(headers), body)

    def _name_records(self, body: dict[str, Any]) -> None:
        """Replace most ids of other records, such as `agent_id`, by ids of records that exist."""
        templates = {
            "agent_id": "/agents/{id}",
            "fleet_id": "/fleets/{id}",
            "conversation_id": "/chat/{conversation_id}",
        }
        for name, template in templates.items():
            known = self._world.ids(template)
            if name in body and known and self._chance.random() < 0.8:
                number = self._chance.choice(known)
                body[name] = int(number) if number.isdecimal() else number

    def _multipart(self, fields: Sequence[tuple[str, str]]) -> tuple[bytes, bytes]:
        odd = self._chance.choice(
            (b"", b"", b'; filename="a.txt"', b'; filename="../../a\0"', b"; filename*=utf-9''%ff")
        )
        parts = [
            b'--xx\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
            % (_utf8(name), b'; filename="a.txt"' + odd if name == "file" else odd, _utf8(value))
            for name, value in fields
        ]
        whole = b"".join(parts) + self._chance.choice((b"--xx--\r\n", b"--xx--\r\n", b"--xx--\r\n", b"", b"--xx"))
        return whole, b"multipart/form-data; boundary=xx"

    def _tool(self) -> Request:
        """Execute a tool with arguments near those of its examples."""
        tools = self._workers if self._chance.random() < _IN_WORKERS else self._inside
        tool: Tool = self._chance.choice(tools)
        args = self._trials.trial(tool).args
        headers = [*self._credential(), (b"Content-Type", _JSON)]
        target = f"{BASE}/tools/{tool.name}/execute".encode()
        return Request(f"tool {tool.name}", b"POST", target, tuple(headers), _dump({"args": args}))

    def _credential(self) -> list[Header]:
        draw = self._chance.random()
        if draw < 0.94:
            name = self._chance.choice(_PLAIN) if draw < 0.5 else "live" if draw < 0.75 else "sandbox"
            return [(b"Authorization", b"Bearer " + self._world.tokens[name].encode())]
        if draw < 0.96:
            return [(b"Authorization", b"Bearer " + self._world.tokens["reader"].encode())]
        return [(b"Authorization", self._authorization())] if draw < 0.99 else []

    def _authorization(self) -> bytes:
        pair = b"%s:%s" % (_utf8(self._values.text()[:200]), _utf8(self._values.text()[:200]))
        token = self._world.tokens["live"].encode()
        known = self._chance.choice(self._world.apps)
        mine = f"{known['client_id']}:{known['client_secret']}".encode()
        odd = (
            b"Basic " + base64.b64encode(pair), b"Basic " + base64.b64encode(b"a\0b:c\0"), b"Basic ====", b"Basic",
            b"Basic " + base64.b64encode(mine), b"Bearer", b"Bearer  " + token, b"bearer " + token[:-1], b"Bearer \xff",
            b"Bearer ak_live_" + b"a" * 5_000, b"Bearer ak_live_a_b", b"Bearer sess_", b"Digest a=b", b"\x80",
            b"Bearer " + token + b" " + token, b"Basic " + base64.b64encode(mine.replace(b":", b"\xff:")),
            b"Bearer aat_\xc3\xa9", b"Bearer link_" + b"A" * 43,
        )  # fmt: skip
        return self._chance.choice(odd)

    def _with_odd(self, headers: list[Header]) -> tuple[Header, ...]:
        """Return the headers, now and then with an odd one."""
        if self._chance.random() < 0.12:
            name, values = self._chance.choice(self._odd_headers())
            value = self._chance.choice(values).replace(b"\r", b"").replace(b"\n", b"")[:9_000]
            headers = [one for one in headers if one[0].lower() != name.lower()]
            headers.append((name, value))
        return tuple(headers)

    def _odd_headers(self) -> Sequence[tuple[bytes, Sequence[bytes]]]:
        text = _utf8(self._values.text())
        return (
            (b"Authorization", (self._authorization(),)),
            (b"Idempotency-Key", (b"a", b"b", b"a" * 255, b"a" * 256, b"", b"\xff", b"\xc3\xa9", text)),
            (b"X-Request-ID", (b"a", b"a" * 128, b"a" * 129, b"\xff", b"", text, b"req_\x01", b'"}')),
            (b"Content-Type", _CONTENT_TYPES),
            (
                b"X-Forwarded-For",
                (b"1.2.3.4", b"::1", b"fe80::1%eth0", b"1.2.3.4:80", b"a, b", b",,,", b"unknown", text),
            ),
            (b"Forwarded", (b"for=1.2.3.4", b'for="[::1]:80"', text)),
            (b"Host", (b"a", b"", b"[::1", b"a:99999", b"a b", b"\xff", b"localhost@evil.invalid", b"a/b", text)),
            (b"X-Forwarded-Host", (b"evil.invalid", text)),
            (b"X-Forwarded-Proto", (b"https", b"gopher", text)),
            (b"Last-Event-ID", (b"0", b"1", b"-1", b"9" * 30, b"\xd9\xa1", text)),
            (
                b"Range",
                (
                    b"bytes=0-0",
                    b"bytes=-1",
                    b"bytes=9-1",
                    b"bytes=" + b"0-0," * 900,
                    b"bytes=" + b"9" * 99 + b"-",
                    text,
                ),
            ),
            (b"If-None-Match", (b"*", b'"a"', b"W/" * 99, text)),
            (b"If-Modified-Since", (b"never", b"Sun, 06 Nov 0000 08:49:37 GMT", text)),
            (b"Accept", (b"text/html", b"*/*;q=2", b"text/event-stream", b"," * 999, text)),
            (b"Accept-Language", (b"de", b"*" * 300, text)),
            (b"Accept-Encoding", (b"gzip", b"br;q=0", text)),
            (b"Content-Encoding", (b"gzip", b"br", text)),
            (b"Cookie", (b"a", b"=", b"; ; ;", b"theme=\xff", b"a=b" * 2_000, self._world.cookie + b"x", text)),
            (b"Origin", (b"null", b"https://evil.invalid", b"http://[", text)),
            (b"Sec-Fetch-Site", (b"cross-site", b"none", text)),
            (b"HX-Request", (b"true", text)),
            (b"User-Agent", (b"", b"a" * 5_000, text)),
            (b"Expect", (b"a",)),
        )

    def _browser(self, cookie: bytes | None = None) -> list[Header]:
        if cookie is None:
            cookie = self._world.operator_cookie if self._chance.random() < 0.2 else self._world.cookie
        headers = [(b"Cookie", cookie), (b"Accept", b"text/html"), (b"Sec-Fetch-Site", b"same-origin")]
        return [*headers, (b"HX-Request", b"true")] if self._chance.random() < 0.3 else headers

    def _page(self) -> Request:
        pages = list(self._world.pages)
        target = self._chance.choice(pages if pages and self._chance.random() < 0.8 else _PAGES)
        wire = quote(target, safe="/?&=%:+,;@!$'()*~-._[]", errors="surrogatepass").encode()
        if self._chance.random() < 0.25:
            wire = self._with_odd_segment(wire)
        if self._chance.random() < 0.3:
            names = (
                "page",
                "q",
                "days",
                "kind",
                "state",
                "mode",
                "search",
                "category",
                "next",
                "since",
                "status",
                "sort",
            )
            pairs = [(self._chance.choice(names), self._values.of({})) for _ in range(self._chance.randint(1, 3))]
            wire += (b"&" if b"?" in wire else b"?") + _encode(pairs).encode()
        return Request("page", b"GET", wire, self._with_odd(self._browser()))

    def _with_odd_segment(self, target: bytes) -> bytes:
        parts = target.split(b"/")
        parts[self._chance.randrange(1, len(parts))] = self._chance.choice(_SEGMENTS)
        return b"/".join(parts)

    def _form(self) -> Request:
        """Send a form that a page had, mostly with changed fields."""
        if not self._world.forms:
            return self._page()
        form = self._chance.choice(list(self._world.forms.values()))
        if (
            form.action.startswith(("/sign-out", "/settings/delete", "/settings/password"))
            and self._chance.random() < 0.98
        ):
            return self._page()
        pairs = self._fill(form)
        target = quote(form.action, safe="/?&=%:+").encode()
        if form.method == "GET":
            joined = target + (b"&" if b"?" in target else b"?") + _encode(pairs).encode()
            return Request("form", b"GET", joined, self._with_odd(self._browser()))
        body, kind = self._multipart(pairs) if form.is_upload else (_encode(pairs).encode(), _FORM)
        if self._chance.random() < 0.03:
            body = self._chance.choice(_RAW_BODIES)
        headers = [*self._browser(), (b"Content-Type", kind)]
        return Request(f"form {form.action.split('?')[0]}", b"POST", target, self._with_odd(headers), body)

    def _fill(self, form: Form) -> list[tuple[str, str]]:
        """Return the fields of a form, one to three of them changed, some left out, and some repeated."""
        pairs = [pair for pair in form.fields if self._chance.random() < 0.95]
        for _ in range(self._chance.choice((0, 1, 1, 2, 3))):
            if pairs:
                place = self._chance.randrange(len(pairs))
                name = pairs[place][0]
                known = ("cron", "timezone", "message", "task")
                part = self._values.of({"type": "string", "maxLength": 3_000}, name if name in known else "")
                pairs[place] = (name, part if isinstance(part, str) else json.dumps(part))
        if self._chance.random() < 0.05:
            pairs.append((self._values.text()[:200], self._values.text()[:2_000]))
        return pairs

    def _oauth(self) -> Request:
        name = self._chance.choice(("token", "token", "authorize", "authorize", "register", "revoke", "introspect"))
        target, headers = f"/oauth/{name}".encode(), [(b"Content-Type", _FORM)]
        if name == "register":
            body = {"client_name": "A", "redirect_uris": ["https://example.com/callback"], "scope": "agents:read"}
            more = ("token_endpoint_auth_method", "grant_types", "response_types", "logo_uri", "client_uri", "contacts")
            body |= {self._chance.choice((*body, *more)): self._values.wild() for _ in range(self._chance.randrange(3))}
            return Request("/oauth/register", b"POST", target, self._with_odd([(b"Content-Type", _JSON)]), _dump(body))
        pairs = self._oauth_pairs()
        if self._chance.random() < 0.4:
            headers.append((b"Authorization", self._authorization()))
        if name == "authorize":
            headers = [*self._browser(self._world.cookie if self._chance.random() < 0.8 else b""), *headers]
            if self._chance.random() < 0.6:
                joined = target + b"?" + _encode(pairs).encode()
                return Request("/oauth/authorize", b"GET", joined, self._with_odd(headers[:-1]))
        body_bytes = _encode(pairs).encode() if self._chance.random() < 0.96 else self._chance.choice(_RAW_BODIES)
        return Request(f"/oauth/{name}", b"POST", target, self._with_odd(headers), body_bytes)

    def _oauth_pairs(self) -> list[tuple[str, Any]]:
        app = self._chance.choice(self._world.apps)
        secrets = self._world.secrets
        good: dict[str, Any] = {
            "client_id": app["client_id"], "client_secret": app["client_secret"], "grant_type": "refresh_token",
            "refresh_token": secrets["refresh_token"], "redirect_uri": "https://example.com/callback",
            "response_type": "code", "code_challenge": "A" * 43, "code_challenge_method": "S256", "state": "a",
            "token": secrets["token"], "code_verifier": secrets["code_verifier"], "scope": "usage:read",
        }  # fmt: skip
        for _ in range(self._chance.choice((0, 1, 1, 2, 4))):
            good[self._chance.choice(_OAUTH_FIELDS)] = self._chance.choice(
                (self._chance.choice(_OAUTH_WORDS), self._values.text(), "", secrets["email"])
            )
        pairs = [pair for pair in good.items() if self._chance.random() < 0.93]
        return [*pairs, self._chance.choice(pairs)] if pairs and self._chance.random() < 0.05 else pairs

    def _room(self) -> Request:
        """Offer audio to a room, or ask for its state."""
        rooms = [name for name in self._world.secrets if name.startswith("/rooms/")]
        room = self._chance.choice(rooms)
        ticket = self._world.secrets[room] if self._chance.random() < 0.9 else self._values.text()[:300]
        headers: list[Header] = [(b"Authorization", b"Bearer " + _utf8(ticket).translate(None, b"\r\n"))]
        if self._chance.random() < 0.3:
            target = (room + "/state").encode() + b"?" + _encode([("participant", self._values.of({}))]).encode()
            return Request("room state", b"GET", target, self._with_odd(headers))
        lines = list(_OFFER)
        for _ in range(self._chance.choice((0, 1, 2, 6))):
            place = self._chance.randrange(len(lines))
            line = lines[place]
            cut = self._chance.randrange(len(line) + 1)
            changes = ("", line[:cut], line[:cut] + self._values.text()[:3_000] + line[cut:], line + line, line.upper())
            lines[place : place + 1] = [self._chance.choice(changes)] * self._chance.choice((1, 1, 1, 0, 50))
            lines = lines or ["v=0"]
        headers.append((b"Content-Type", b"application/sdp"))
        return Request(
            "WHIP", b"POST", f"{room}/whip".encode(), self._with_odd(headers), _utf8("\r\n".join([*lines, ""]))
        )

    def _public(self) -> Request:
        target = quote(self._chance.choice(_PUBLIC), safe="/?&=%:+").encode()
        if target.endswith(b"="):
            target += quote(_utf8(self._values.text()[:600])).encode()
        elif self._chance.random() < 0.4:
            record = self._chance.choice(sorted(RECORDS))
            target = self._with_odd_segment(self._chance.choice((target, BASE.encode() + record.encode())))
        method = b"GET" if self._chance.random() < 0.8 else self._chance.choice(_METHODS)
        return Request("public", method, target, self._with_odd([]))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def _encode(pairs: Sequence[tuple[str, Any]]) -> str:
    """Encode a form. Values that are not texts are written as JSON."""
    texts = [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in pairs]
    return urlencode([(_utf8(name), _utf8(value)) for name, value in texts], quote_via=_quote_bytes)


def _quote_bytes(text: str | bytes, *_: Any) -> str:
    return quote_from_bytes(text if isinstance(text, bytes) else text.encode())
