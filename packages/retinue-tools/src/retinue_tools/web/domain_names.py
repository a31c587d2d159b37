"""DNS look-ups of domains and addresses."""

from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from typing import Annotated, Literal

import dns.dnssec
import dns.exception
import dns.name
import dns.rdatatype
import dns.zone
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockServer, Refusal, ToolError, ToolUnavailable, tool
from retinue_tools.web._name_servers import Domain, NameServer, ask, code, readable, records

Kind = Literal["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SOA", "CAA", "SRV", "PTR", "DS", "DNSKEY"]
_COMMON = ("A", "AAAA", "CNAME", "MX", "TXT", "NS", "SOA", "CAA")
_ZONE = {
    "example.com A": "192.0.2.1\n192.0.2.2",
    "example.com MX": "10 mail.example.com.\n20 backup.example.com.",
    "example.com TXT": "v=spf1 -all",
    "www.example.com CNAME": "example.com.",
}


class Record(TypedDict):
    """A record."""

    name: Annotated[str, About("Owner name")]
    type: Annotated[str, About("Type, such as A or MX")]
    ttl_s: Annotated[int, About("Time to live")]
    value: Annotated[str, About("Value, in zone file format")]


class Records(TypedDict):
    """The records of a name."""

    name: Annotated[str, About("Requested name")]
    records: Annotated[list[Record], About("Records, at most 500")]
    status: Annotated[str, About("NOERROR, or NXDOMAIN if the name does not exist")]
    exists: Annotated[bool, About("Whether the name exists")]


@tool(
    tags="dns lookup records a aaaa mx txt ns soa caa srv cname domain name resolve ip",
    use_when=(
        "What is the IP address of example.com?",
        "Which MX records has example.org?",
        "Show all DNS records of this domain.",
        "Look up the TXT records of _dmarc.example.com at 9.9.9.9.",
    ),
    examples=(
        Example(
            {"name": "example.com", "types": ["A", "MX"], "server": "{dns}"},
            {
                "status": "NOERROR",
                "exists": True,
                "records": [
                    {"name": "example.com", "type": "A", "ttl_s": 300, "value": "192.0.2.1"},
                    {"name": "example.com", "type": "A", "ttl_s": 300, "value": "192.0.2.2"},
                    {"name": "example.com", "type": "MX", "ttl_s": 300, "value": "10 mail.example.com."},
                    {"name": "example.com", "type": "MX", "ttl_s": 300, "value": "20 backup.example.com."},
                ],
            },
            source="what the stand-in is told to answer",
            servers={"dns": MockServer("dns", _ZONE)},
        ),
        Example(
            {"name": "WWW.example.com.", "types": ["A"], "server": "{dns}"},
            {
                "name": "www.example.com",
                "records": [
                    {"name": "www.example.com", "type": "CNAME", "ttl_s": 300, "value": "example.com."},
                    {"name": "example.com", "type": "A", "ttl_s": 300, "value": "192.0.2.1"},
                    {"name": "example.com", "type": "A", "ttl_s": 300, "value": "192.0.2.2"},
                ],
            },
            source="RFC 1034, section 3.6.2: an alias comes with what it leads to",
            servers={"dns": MockServer("dns", _ZONE)},
        ),
        Example(
            {"name": "none.example.com", "server": "{dns}"},
            {"exists": False, "status": "NXDOMAIN", "records": []},
            source="RFC 1035, section 4.1.1: response code 3",
            servers={"dns": MockServer("dns", _ZONE)},
        ),
        Refusal({"name": "a..b"}, "not a domain name"),
        Refusal({"name": "example.com", "server": "10.1.2.3"}, "not a public address"),
    ),
    reply={
        "records.1": "The records of {name}: {records}",
        "records": "{records.0.name} has the {records.0.type} record {records.0.value}.",
        "records, records": "The record of {args.name}: {records}",
        "exists": "{args.name} exists, but has no such records.",
        "": "The name {args.name} does not exist.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def dns_lookup_records(
    name: Domain,
    types: Annotated[
        list[Kind] | None, About("Record types; default: the common ones", ["A", "MX"], min_items=1, max_items=12)
    ] = None,
    server: NameServer = None,
) -> Records:
    """Look up the DNS records of a name: addresses, mail servers, texts, name servers and more.

    Use it for any question about the DNS of a domain. Queries the name server of this machine, or the given one.
    """
    answers = ask(name, types or _COMMON, server)
    found: dict[tuple[str, str, str], Record] = {}
    for answer in answers:
        for group in answer.answer:
            for item in group:
                kind = dns.rdatatype.to_text(group.rdtype)
                owner, value = str(group.name).rstrip("."), item.to_text()
                found[owner, kind, value] = {"name": owner, "type": kind, "ttl_s": group.ttl, "value": value}
    statuses = [code(answer) for answer in answers]
    return {
        "name": readable(name),
        "records": list(found.values())[:500],
        "status": next((status for status in statuses if status != "NOERROR"), "NOERROR"),
        "exists": "NXDOMAIN" not in statuses,
    }


class Names(TypedDict):
    """The names of an address."""

    question: Annotated[str, About("Requested name, such as 1.2.0.192.in-addr.arpa")]
    names: Annotated[list[str], About("Names of the address")]
    confirmed: Annotated[list[str], About("Names that resolve back to the address")]


@tool(
    tags="dns reverse lookup ptr ip address hostname rdns forward confirmed",
    use_when=(
        "Which host name has 192.0.2.1?",
        "Reverse lookup of an IPv6 address.",
        "Does the PTR record of my mail server match?",
    ),
    examples=(
        Example(
            {"address": "192.0.2.1", "server": "{dns}"},
            {
                "question": "1.2.0.192.in-addr.arpa",
                "names": ["mail.example.com", "old.example.com"],
                "confirmed": ["mail.example.com"],
            },
            source="RFC 1035, section 3.5",
            servers={
                "dns": MockServer(
                    "dns",
                    {
                        "1.2.0.192.in-addr.arpa PTR": "mail.example.com.\nold.example.com.",
                        "mail.example.com A": "192.0.2.1",
                        "old.example.com A": "192.0.2.9",
                    },
                )
            },
        ),
        Example(
            {"address": "2001:db8::567:89ab", "server": "{dns}"},
            {"question": "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "names": []},
            source="RFC 3596, section 2.5, for the form of the name",
            servers={"dns": MockServer("dns", {})},
        ),
        Refusal({"address": "192.0.2.256"}, "not an IP address"),
    ),
    reply={
        "names, confirmed": "{args.address} belongs to {names}; {confirmed} leads back to it.",
        "names": "{args.address} belongs to {names}, but no name leads back to it.",
        "": "{args.address} has no name.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def dns_lookup_address(
    address: Annotated[str, About("IPv4 or IPv6 address", "192.0.2.1", min_length=2, max_length=45)],
    server: NameServer = None,
) -> Names:
    """Look up the names of an IP address (PTR records), and check which of them resolve back to it.

    Use it to find the owner of an address, or to check the set-up of a mail server.
    """
    try:
        target = ip_address(address.strip().partition("%")[0])
    except ValueError as error:
        raise ToolError(f"{address} is not an IP address. Write it as 192.0.2.1 or 2001:db8::1.") from error
    names = [name.rstrip(".") for name in records(ask(target.reverse_pointer, ["PTR"], server)[0], "PTR")][:20]
    kind = "A" if target.version == 4 else "AAAA"
    confirmed = [
        name
        for name in names
        if any(ip_address(found) == target for found in records(ask(name, [kind], server)[0], kind))
    ]
    return {"question": target.reverse_pointer, "names": names, "confirmed": confirmed}


class Opinion(TypedDict):
    """Response of one name server."""

    server: Annotated[str, About("Address of the name server")]
    operator: Annotated[str, About("Operator, if known")]
    records: Annotated[list[str], About("Values, sorted")]
    status: Annotated[str, About("NOERROR, NXDOMAIN, or the reason for a missing response")]


class Propagation(TypedDict):
    """DNS propagation."""

    agree: Annotated[bool, About("Whether all servers that answer agree")]
    answers: Annotated[list[Opinion], About("One entry for each name server")]
    different: Annotated[int, About("Number of different responses")]


_PUBLIC = {
    "1.1.1.1": "Cloudflare",
    "8.8.8.8": "Google",
    "9.9.9.9": "Quad9",
    "208.67.222.222": "OpenDNS",
    "94.140.14.14": "AdGuard",
    "76.76.2.0": "Control D",
}


@tool(
    tags="dns propagation check resolvers worldwide change compare servers",
    use_when=(
        "Has the DNS change of example.com arrived everywhere?",
        "Do public resolvers agree on the A record of this name?",
        "Compare the answers of two name servers.",
    ),
    examples=(
        Example(
            {"name": "example.com", "record_type": "A", "servers": ["{one}", "{two}"]},
            {
                "agree": False,
                "different": 2,
                "answers": [
                    {"server": "{one}", "operator": "", "records": ["192.0.2.1"], "status": "NOERROR"},
                    {"server": "{two}", "operator": "", "records": ["192.0.2.2"], "status": "NOERROR"},
                ],
            },
            source="what the stand-ins are told to answer",
            servers={
                "one": MockServer("dns", {"example.com A": "192.0.2.1"}),
                "two": MockServer("dns", {"example.com A": "192.0.2.2"}),
            },
        ),
        Example(
            {"name": "example.com", "record_type": "TXT", "servers": ["{one}"]},
            {"agree": True, "different": 1},
            source="one server cannot disagree",
            servers={"one": MockServer("dns", {"example.com TXT": "x"})},
        ),
        Refusal({"name": "exa mple..com", "servers": ["9.9.9.9"]}, "not a domain name"),
    ),
    reply={
        "agree": "All servers that answered agree: {answers}",
        "not agree": "The servers do not agree yet; there are {different|different answer}: {answers}",
        "": "All servers that answered agree.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
    memory_mb=1024,
)
def dns_check_propagation(
    name: Domain,
    record_type: Annotated[Kind, About("Record type")] = "A",
    servers: Annotated[
        list[Annotated[str, About("Name server", "9.9.9.9", min_length=3, max_length=260)]] | None,
        About("Name servers to query; default: six public ones", ["1.1.1.1", "9.9.9.9"], min_items=1, max_items=20),
    ] = None,
) -> Propagation:
    """Ask (query) several name servers for the same record and compare their answers.

    Use it after a DNS change, to see where it has propagated. By default it queries six public resolvers.
    """
    name_servers = servers or list(_PUBLIC)
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda server: _opinion(name, record_type, server), name_servers))
    opinions = [tuple(answer["records"]) for answer in answers if answer["status"] in ("NOERROR", "NXDOMAIN")]
    return {"agree": len(set(opinions)) <= 1, "answers": answers, "different": len(set(opinions))}


def _opinion(name: str, kind: str, server: str) -> Opinion:
    try:
        answer = ask(name, [kind], server)[0]
    except ToolUnavailable as error:
        return {"server": server, "operator": _PUBLIC.get(server, ""), "records": [], "status": str(error)}
    found = sorted(records(answer, kind))
    return {"server": server, "operator": _PUBLIC.get(server, ""), "records": found, "status": code(answer)}
