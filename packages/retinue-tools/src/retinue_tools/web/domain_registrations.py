"""Registration data of domains and IP addresses: RDAP and WHOIS."""

import re
from ipaddress import ip_address
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, MockServer, Refusal, ToolError, ToolUnavailable, tool
from retinue.sdk.http import fetch
from retinue.sdk.network import connect
from retinue_tools.web._name_servers import Domain, host_and_port, readable


class Registration(TypedDict):
    """Registration data."""

    kind: Annotated[str, About("domain or ip network")]
    name: Annotated[str, About("Domain, or name of the network")]
    handle: Annotated[str, About("Handle in the registry")]
    registered: Annotated[str, About("Registration date")]
    changed: Annotated[str, About("Date of the last change")]
    expires: Annotated[str, About("Expiry date")]
    status: Annotated[list[str], About("Status values, such as client transfer prohibited")]
    name_servers: Annotated[list[str], About("Name servers")]
    registrar: Annotated[str, About("Registrar")]
    holder: Annotated[str, About("Registrant, if public")]
    abuse_email: Annotated[str, About("Abuse contact")]
    country: Annotated[str, About("Country of a network")]
    range: Annotated[str, About("First and last address of a network")]
    signed: Annotated[bool | None, About("Whether the delegation is signed with DNSSEC")]


_DOMAIN = """{"objectClassName":"domain","ldhName":"EXAMPLE.COM","handle":"2336799_DOMAIN_COM-VRSN",
"status":["client delete prohibited"],"secureDNS":{"delegationSigned":true},
"events":[{"eventAction":"registration","eventDate":"1995-08-14T04:00:00Z"},
{"eventAction":"expiration","eventDate":"2027-08-13T04:00:00Z"}],"nameservers":[{"ldhName":"A.IANA-SERVERS.NET"}],
"entities":[{"roles":["registrar"],"vcardArray":["vcard",[["fn",{},"text","The registrar"]]],
"entities":[{"roles":["abuse"],"vcardArray":["vcard",[["email",{},"text","abuse@example.net"]]]}]}]}"""
_RDAP = {"Content-Type": "application/rdap+json"}


@tool(
    tags="rdap domain registration owner registrar expiry ip network abuse contact whois",
    use_when=(
        "When was example.com registered and when does it expire?",
        "Who is the registrar of this domain?",
        "Which organisation does the IP 192.0.2.1 belong to?",
        "Where do I report abuse from this address?",
        "Is this domain still free?",
    ),
    examples=(
        Example(
            {"query": "Example.com", "server": "{site}"},
            {
                "kind": "domain",
                "name": "example.com",
                "registered": "1995-08-14T04:00:00Z",
                "expires": "2027-08-13T04:00:00Z",
                "name_servers": ["a.iana-servers.net"],
                "registrar": "The registrar",
                "abuse_email": "abuse@example.net",
                "signed": True,
                "status": ["client delete prohibited"],
            },
            source="RFC 9083, sections 4.5, 5.1 and 5.3, for the form of the answer",
            site={"/domain/example.com": MockResponse(_DOMAIN, 200, _RDAP)},
        ),
        Example(
            {"query": "192.0.2.1", "server": "{site}/"},
            {
                "kind": "ip network",
                "name": "TEST-NET-1",
                "range": "192.0.2.0 - 192.0.2.255",
                "country": "",
                "signed": None,
            },
            source="RFC 9083, section 5.4; RFC 5737 for the network",
            site={
                "/ip/192.0.2.1": MockResponse(
                    '{"objectClassName":"ip network","name":"TEST-NET-1","startAddress":"192.0.2.0",'
                    '"endAddress":"192.0.2.255"}',
                    200,
                    _RDAP,
                )
            },
        ),
        Refusal({"query": "none.example", "server": "{site}"}, "not registered", site={"/": MockResponse("x")}),
    ),
    reply={
        "expires, registrar": "{name} was registered on {registered} with {registrar} and expires on {expires}.",
        "expires": "{name} was registered on {registered} and expires on {expires}.",
        "holder": "{name} is held by {holder}.",
        "registered": "{name} was registered on {registered}.",
        "abuse_email": "{name} is a registered {kind}; report abuse to {abuse_email}.",
        "": "{name} is a registered {kind}.",
    },
    open_world=True,
    pace="normal",
)
def domain_lookup_registration(
    query: Annotated[str, About("Domain or IP address", "example.com", min_length=2, max_length=253)],
    server: Annotated[
        str, About("RDAP server; the default redirects to the responsible registry", "https://rdap.org", max_length=300)
    ] = "https://rdap.org",
) -> Registration:
    """Look up who registered a domain or an IP address, by RDAP: dates, registrar, status, name servers, abuse contact.

    Use it first for questions of ownership and expiry; WHOIS is for registries without RDAP.
    """
    name = readable(query)
    if not re.fullmatch(r"[\w.:-]+", name):
        raise ToolError(f"{query} is neither a domain nor an IP address.")
    answer = fetch(f"{server.rstrip('/')}/{'ip' if _is_address(name) else 'domain'}/{name}", timeout_s=18.0)
    if answer.status == 404:
        raise ToolError(f"{name} is not registered, or its registry does not support RDAP. Try WHOIS.")
    found = answer.raise_for_status().json()
    if not isinstance(found, dict):
        raise ToolError(f"{server} is not an RDAP server.")
    return _registration(found)


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


def _registration(found: dict[str, Any]) -> Registration:
    events = {_text(event, "eventAction"): _text(event, "eventDate") for event in _objects(found, "events")}
    entities = _entities(found, 3)
    start, end = _text(found, "startAddress"), _text(found, "endAddress")
    security = found.get("secureDNS")
    return {
        "kind": _text(found, "objectClassName"),
        "name": _text(found, "ldhName").lower() or _text(found, "name"),
        "handle": _text(found, "handle"),
        "registered": events.get("registration", ""),
        "changed": events.get("last changed", ""),
        "expires": events.get("expiration", ""),
        "status": [str(status)[:100] for status in _list(found, "status")],
        "name_servers": [_text(server, "ldhName").lower() for server in _objects(found, "nameservers")],
        "registrar": _contact(entities, "registrar", "fn"),
        "holder": _contact(entities, "registrant", "fn"),
        "abuse_email": _contact(entities, "abuse", "email"),
        "country": _text(found, "country"),
        "range": f"{start} - {end}" if start else "",
        "signed": bool(security.get("delegationSigned")) if isinstance(security, dict) else None,
    }


def _text(found: dict[str, Any], name: str) -> str:
    value = found.get(name)
    return value[:500] if isinstance(value, str) else ""


def _list(found: dict[str, Any], name: str) -> list[Any]:
    value = found.get(name)
    return value[:50] if isinstance(value, list) else []


def _objects(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [item for item in _list(found, name) if isinstance(item, dict)]


def _entities(found: dict[str, Any], depth: int) -> list[dict[str, Any]]:
    """Yield the contacts of an object, including nested ones."""
    own = _objects(found, "entities") if depth else []
    return own + [inner for entity in own for inner in _entities(entity, depth - 1)]


def _contact(entities: list[dict[str, Any]], role: str, field: str) -> str:
    """Return a vCard field (RFC 7095) of the first contact with a role."""
    for entity in entities:
        card = _list(entity, "vcardArray")
        fields = card[1] if len(card) > 1 and isinstance(card[1], list) else []
        for item in fields if role in _list(entity, "roles") else []:
            if isinstance(item, list) and len(item) > 3 and item[0] == field and isinstance(item[3], str):
                return item[3][:300]
    return ""


class Whois(TypedDict):
    """Response of WHOIS servers."""

    server: Annotated[str, About("Last server that answered")]
    text: Annotated[str, About("Response text, up to 50,000 characters")]
    fields: Annotated[dict[str, list[str]], About("Values by name, as far as it contains any")]
    referred_by: Annotated[list[str], About("Servers that referred to it")]


@tool(
    tags="whois domain ip registry owner registrar lookup text",
    use_when=(
        "Do a WHOIS lookup of example.com.",
        "What does the registry of this domain say in WHOIS?",
        "WHOIS of 192.0.2.1 at whois.ripe.net.",
    ),
    examples=(
        Example(
            {"query": "example.test", "server": "{first}"},
            {
                "server": "{second}",
                "referred_by": ["{first}"],
                "fields": {"Domain Name": ["EXAMPLE.TEST"], "Name Server": ["A.EXAMPLE", "B.EXAMPLE"]},
            },
            source="RFC 3912, section 2: one line there, text back; the fields are those of the stand-in",
            servers={
                "second": MockServer(
                    "text",
                    {
                        "example.test": "% notice\nDomain Name: EXAMPLE.TEST\n"
                        "Name Server: A.EXAMPLE\nName Server: B.EXAMPLE\n"
                    },
                ),
                "first": MockServer("text", {"example.test": "refer: {second}\ndomain: TEST\n"}),
            },
        ),
        Example(
            {"query": "none.test", "server": "{only}", "follow": False},
            {"text": "No match.\r\n", "fields": {}, "referred_by": []},
            source="what the stand-in says of what it does not know",
            servers={"only": MockServer("text", {})},
        ),
        Refusal({"query": "two words"}, "neither a domain"),
    ),
    reply={
        "fields": "{server} says: {fields}",
        "text": "{server} says: {text}",
    },
    open_world=True,
    pace="normal",
)
def domain_lookup_whois(
    query: Annotated[Domain, About("Domain or IP address")],
    server: Annotated[
        str, About("WHOIS server to query first, with a port unless it is 43", "whois.iana.org", max_length=260)
    ] = "whois.iana.org",
    follow: Annotated[bool, About("Whether to follow referrals to other servers")] = True,
) -> Whois:
    """Ask (query) WHOIS servers for a domain or an IP address, from the root of all registries down to the responsible
    one.

    Use it if RDAP has no answer. Returns the text of the last server and the parsed fields.
    """
    name = query.strip()
    if not re.fullmatch(r"[\w.:/-]+", name):
        raise ToolError(f"{query} is neither a domain nor an IP address.")
    passed: list[str] = []
    current = server
    while True:
        text = _whois(name, current)
        further = re.search(
            r"^\s*(?:refer|whois|registrar whois server|referralserver):\s*(?:r?whois://)?([\w.:-]+)", text, re.M | re.I
        )
        if not follow or not further or further[1] in (current, *passed) or len(passed) == 3:
            return {"server": current, "text": text[:50_000], "fields": _fields(text), "referred_by": passed}
        passed.append(current)
        current = further[1]


def _whois(name: str, server: str) -> str:
    content = b""
    try:
        with connect(*host_and_port(server, 43), 4.0) as connection:
            connection.sendall(name.encode() + b"\r\n")
            while len(content) < 500_000 and (part := connection.recv(65_536)):
                content += part
    except OSError as error:
        raise ToolUnavailable(f"The WHOIS server {server} does not answer: {str(error)[:200]}.") from error
    return content.decode("utf-8", "replace")


def _fields(text: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for line in text.splitlines()[:2000]:
        name, colon, value = line.strip().partition(":")
        if colon and value.strip() and len(name) < 60 and not name.startswith(("%", "#", ">")):
            fields.setdefault(name.strip(), []).append(value.strip()[:1000])
    return fields
