"""DNS zones: zone files and signatures (DNSSEC)."""

from typing import Annotated

import dns.dnssec
import dns.exception
import dns.name
import dns.rdatatype
import dns.zone
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockServer, Refusal, ToolError, tool
from retinue_tools.web._name_servers import Domain, NameServer, ask, readable
from retinue_tools.web.domain_names import Record


class Chain(TypedDict):
    """DNSSEC status of a domain."""

    signed: Annotated[bool, About("Whether the zone has keys")]
    delegated: Annotated[bool, About("Whether the parent contains a digest of a key (DS)")]
    linked: Annotated[bool, About("Whether one of the digests matches a key of the zone")]
    status: Annotated[str, About("secure link, unsigned, broken link, or keys without a digest in the parent")]
    keys: Annotated[list[str], About("Tag, algorithm and role of each key")]
    digests: Annotated[list[str], About("Tag, algorithm and digest type of each digest")]


@tool(
    tags="dnssec dns security ds dnskey chain of trust signed zone validate",
    use_when=(
        "Is example.com signed with DNSSEC?",
        "Do the DS records fit the keys of my zone?",
        "Why does the DNSSEC of my domain fail?",
    ),
    examples=(
        Example(
            {"domain": "dskey.example.com", "server": "{dns}"},
            {
                "signed": True,
                "delegated": True,
                "linked": True,
                "status": "secure link",
                "keys": ["60485 RSASHA1 zone key"],
                "digests": ["60485 RSASHA1 SHA-256"],
            },
            source="RFC 4509, section 2.3: a key and its SHA-256 digest",
            servers={
                "dns": MockServer(
                    "dns",
                    {
                        "dskey.example.com DNSKEY": "256 3 5 AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822a"
                        "J5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnO"
                        "f+EPbtG9DMBmADjFDc2w/rljwvFw==",
                        "dskey.example.com DS": "60485 5 2 D4B7D520E7BB5F0F67674A0CCEB1E3E0"
                        "614B93C4F9E99B8383F6A1E4469DA50A",
                    },
                )
            },
        ),
        Example(
            {"domain": "example.com", "server": "{dns}"},
            {"signed": False, "delegated": False, "linked": False, "status": "unsigned", "keys": []},
            source="RFC 4035, section 4.3: without a digest the zone is insecure",
            servers={"dns": MockServer("dns", {"example.com A": "192.0.2.1"})},
        ),
        Refusal({"domain": "a" * 64 + ".com"}, "not a domain name"),
    ),
    reply={
        "linked": "{args.domain} is signed with DNSSEC, and the digest in its parent matches its keys.",
        "delegated": "DNSSEC of {args.domain} is broken: the digest in the parent does not match its keys.",
        "signed": "{args.domain} has DNSSEC keys, but its parent does not know them.",
        "": "{args.domain} is not signed with DNSSEC.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def dns_check_dnssec(domain: Domain, server: NameServer = None) -> Chain:
    """Check whether a domain is signed with DNSSEC and whether the digests in its parent match its keys.

    Use it after signing a zone or changing keys. It checks the link between parent and zone; signatures of single
    records are not verified.
    """
    keyed, delegation = ask(domain, ["DNSKEY", "DS"], server, signed=True)
    owner = dns.name.from_text(readable(domain))
    keys = [item for group in keyed.answer if group.rdtype == dns.rdatatype.DNSKEY for item in group]
    digests = [item for group in delegation.answer if group.rdtype == dns.rdatatype.DS for item in group]
    linked = any(_fits(owner, key, digest) for key in keys for digest in digests)
    status = "secure link" if linked else "broken link" if digests else "keys without a digest in the parent"
    return {
        "signed": bool(keys),
        "delegated": bool(digests),
        "linked": linked,
        "status": status if keys or digests else "unsigned",
        "keys": [
            f"{dns.dnssec.key_id(key)} {_algorithm(key)} {'key-signing' if key.flags & 1 else 'zone'} key"
            for key in keys
        ],
        "digests": [
            f"{digest.key_tag} {_algorithm(digest)} {_DIGESTS.get(digest.digest_type, 'other')}" for digest in digests
        ],
    }


_DIGESTS = {1: "SHA-1", 2: "SHA-256", 4: "SHA-384"}


def _algorithm(record: dns.rdata.Rdata) -> str:
    return str(dns.dnssec.algorithm_to_text(record.algorithm))


def _fits(owner: dns.name.Name, key: dns.rdata.Rdata, digest: dns.rdata.Rdata) -> bool:
    if digest.digest_type not in _DIGESTS or dns.dnssec.key_id(key) != digest.key_tag:
        return False
    try:
        computed = dns.dnssec.make_ds(owner, key, digest.digest_type, validating=True)
    except (dns.exception.DNSException, ValueError):
        return False
    return bool(computed.digest == digest.digest)


class Zone(TypedDict):
    """The records of a zone file."""

    origin: Annotated[str, About("Name of the zone")]
    records: Annotated[list[Record], About("Records, at most 5,000")]
    total: Annotated[int, About("Total number of records")]
    counts: Annotated[dict[str, int], About("Number of records by type")]


@tool(
    tags="dns zone file bind parse records master file origin ttl",
    use_when=(
        "Parse this BIND zone file.",
        "Which records are in my zone file?",
        "Check the zone file for mistakes.",
    ),
    examples=(
        Example(
            {
                "text": "$TTL 3600\n@ IN SOA ns hostmaster 1 7200 900 1209600 300\n@ IN NS ns\nns IN A 192.0.2.1\n"
                "www 60 IN CNAME @\n",
                "origin": "example.com",
            },
            {
                "origin": "example.com",
                "total": 4,
                "counts": {"SOA": 1, "NS": 1, "A": 1, "CNAME": 1},
                "records": [
                    {
                        "name": "example.com",
                        "type": "SOA",
                        "ttl_s": 3600,
                        "value": "ns.example.com. hostmaster.example.com. 1 7200 900 1209600 300",
                    },
                    {"name": "example.com", "type": "NS", "ttl_s": 3600, "value": "ns.example.com."},
                    {"name": "ns.example.com", "type": "A", "ttl_s": 3600, "value": "192.0.2.1"},
                    {"name": "www.example.com", "type": "CNAME", "ttl_s": 60, "value": "example.com."},
                ],
            },
            source="RFC 1035, section 5.1; RFC 2308, section 4",
        ),
        Refusal({"text": "$TTL 60\n@ IN A 999.1.1.1\n", "origin": "example.com"}, "line"),
    ),
    reply={
        "records": "The zone {origin} has {total|record}: {records}",
        "": "There are no records in this zone file.",
    },
)
def dns_parse_zone(
    text: Annotated[str, About("Zone file", "$TTL 3600\n@ IN A 192.0.2.1\n", min_length=1, max_length=500_000)],
    origin: Domain,
) -> Zone:
    """Read a DNS zone file into its records, with full names and times to live.

    Use it to review or convert a zone of BIND or another name server. Errors are reported with their line; included
    files are not read.
    """
    try:
        name = dns.name.from_text(readable(origin))
        zone = dns.zone.from_text(text, name, relativize=False, check_origin=False, allow_include=False)
    except (dns.exception.DNSException, ValueError, UnicodeError) as error:
        raise ToolError(
            f"The zone file cannot be parsed; the message begins with the line: {str(error)[:300]}."
        ) from error
    found: list[Record] = [
        {
            "name": str(owner).rstrip("."),
            "type": dns.rdatatype.to_text(item.rdtype),
            "ttl_s": ttl,
            "value": item.to_text(),
        }
        for owner, ttl, item in zone.iterate_rdatas()
    ]
    kinds = [record["type"] for record in found]
    return {
        "origin": str(name).rstrip("."),
        "records": found[:5000],
        "total": len(found),
        "counts": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
    }
