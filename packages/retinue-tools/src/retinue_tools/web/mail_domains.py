"""Mail protection of domains: SPF, DKIM and DMARC."""

import re
from ipaddress import ip_network
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockServer, Refusal, ToolError, tool
from retinue_tools.web._name_servers import Domain, NameServer, ask, records

_SELECTORS = ("default", "google", "selector1", "selector2", "k1", "s1", "dkim", "mail")
_LOOKUPS = ("include", "a", "mx", "ptr", "exists", "redirect")


class MailSecurity(TypedDict):
    """Mail protection of a domain."""

    mail_servers: Annotated[list[str], About("MX records: preference and server")]
    spf: Annotated[str, About("SPF record; empty if there is none")]
    spf_all: Annotated[str, About("SPF result for all other servers: fail, softfail, neutral, pass, or empty")]
    dmarc: Annotated[str, About("DMARC record; empty if there is none")]
    dmarc_policy: Annotated[str, About("DMARC policy: none, quarantine, reject, or empty")]
    dkim_selectors: Annotated[list[str], About("Tried selectors that have a key")]
    mta_sts: Annotated[bool, About("Whether it announces MTA-STS (RFC 8461)")]
    grade: Annotated[str, About("Protection against forged senders: strong, partial or weak")]
    problems: Annotated[list[str], About("Recommended fixes")]


@tool(
    tags="email security spf dkim dmarc mx dns spoofing mta-sts deliverability domain",
    use_when=(
        "Is example.com protected against forged e-mail?",
        "Check SPF, DKIM and DMARC of my domain.",
        "Why does mail of this domain land in spam?",
    ),
    examples=(
        Example(
            {"domain": "example.com", "selectors": ["s1"], "server": "{dns}"},
            {
                "mail_servers": ["10 mail.example.com."],
                "spf_all": "fail",
                "dmarc_policy": "reject",
                "dkim_selectors": ["s1"],
                "mta_sts": False,
                "grade": "strong",
                "problems": [],
            },
            source="RFC 7208, section 5.1; RFC 7489, section 6.3; RFC 6376, section 3.6.2.1",
            servers={
                "dns": MockServer(
                    "dns",
                    {
                        "example.com MX": "10 mail.example.com.",
                        "example.com TXT": "other\nv=spf1 mx -all",
                        "_dmarc.example.com TXT": "v=DMARC1; p=reject; rua=mailto:d@example.com",
                        "s1._domainkey.example.com TXT": "v=DKIM1; k=rsa; p=MIGf",
                    },
                )
            },
        ),
        Example(
            {"domain": "example.org", "server": "{dns}"},
            {
                "spf": "",
                "grade": "weak",
                "dkim_selectors": [],
                "problems": [
                    "There is no SPF record: publish v=spf1 with your servers and -all.",
                    "There is no DMARC record: publish v=DMARC1; p=none at _dmarc and tighten it.",
                    "No DKIM key was found: name the selectors that the domain uses.",
                ],
            },
            source="the stand-in holds no such record",
            servers={"dns": MockServer("dns", {"example.org A": "192.0.2.1"})},
        ),
        Refusal({"domain": "a..b"}, "not a domain name"),
    ),
    reply={
        "problems": "The protection of {args.domain} against forged e-mail is {grade}: {problems}",
        "": "The protection of {args.domain} against forged e-mail is {grade}; I found no problems.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def dns_check_email_security(
    domain: Domain,
    selectors: Annotated[
        list[Annotated[str, About("Selector", "s1", pattern=r"^[A-Za-z0-9._-]+$", max_length=60)]] | None,
        About("DKIM selectors to try; default: common ones", ["s1"], max_items=20),
    ] = None,
    server: NameServer = None,
) -> MailSecurity:
    """Check how a domain protects its e-mail against forged senders: SPF, DKIM, DMARC and MTA-STS.

    Use it to review a mail set-up. Returns the records, a grade, and recommended fixes.
    """
    mail, texts = ask(domain, ["MX", "TXT"], server)
    spf = [text for text in records(texts, "TXT") if text.lower().split(" ")[0] == "v=spf1"]
    dmarc = [text for text in _texts(f"_dmarc.{domain}", server) if text.lower().startswith("v=dmarc1")]
    found = [name for name in selectors or _SELECTORS if _has_key(f"{name}._domainkey.{domain}", server)]
    policy = _tags(dmarc[0]).get("p", "").lower() if dmarc else ""
    ending = _rest_of(spf[0]) if spf else ""
    problems = _problems(spf, ending, dmarc, policy, found)
    strict = ending in ("fail", "softfail") and policy in ("quarantine", "reject") and bool(found)
    return {
        "mail_servers": records(mail, "MX"),
        "spf": spf[0] if spf else "",
        "spf_all": ending,
        "dmarc": dmarc[0] if dmarc else "",
        "dmarc_policy": policy,
        "dkim_selectors": found,
        "mta_sts": any(text.startswith("v=STSv1") for text in _texts(f"_mta-sts.{domain}", server)),
        "grade": "strong" if strict else "partial" if spf and dmarc else "weak",
        "problems": problems,
    }


def _texts(name: str, server: str | None) -> list[str]:
    return records(ask(name, ["TXT"], server)[0], "TXT")


def _has_key(name: str, server: str | None) -> bool:
    return any(_tags(text).get("p") for text in _texts(name, server))


def _tags(record: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in record.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def _rest_of(spf: str) -> str:
    """Return the result of an SPF record for servers that it does not list."""
    word = next((word for word in spf.lower().split() if re.fullmatch(r"[+?~-]?all", word)), "")
    return {"-": "fail", "~": "softfail", "?": "neutral"}.get(word[:1], "pass" if word else "")


def _problems(spf: list[str], ending: str, dmarc: list[str], policy: str, keys: list[str]) -> list[str]:
    checks = {
        "There is no SPF record: publish v=spf1 with your servers and -all.": not spf,
        "There is more than one SPF record: receivers then take none (RFC 7208, section 4.5).": len(spf) > 1,
        "The SPF record lets other servers through: end it with -all or ~all.": bool(spf)
        and ending in ("", "pass", "neutral")
        and "redirect=" not in spf[0],
        "There is no DMARC record: publish v=DMARC1; p=none at _dmarc and tighten it.": not dmarc,
        "The DMARC policy is none: forged mail is only reported.": policy == "none",
        "No DKIM key was found: name the selectors that the domain uses.": not keys,
    }
    return [problem for problem, found in checks.items() if found]


class Mechanism(TypedDict):
    """A term of an SPF record."""

    term: Annotated[str, About("Term as written")]
    result: Annotated[str, About("Result for mail from a matching server: pass, fail, softfail, neutral; or modifier")]
    meaning: Annotated[str, About("Servers that it matches")]


class Spf(TypedDict):
    """Explanation of an SPF record."""

    terms: Annotated[list[Mechanism], About("Terms in order: the first match decides")]
    lookups: Annotated[int, About("Minimum number of DNS look-ups")]
    problems: Annotated[list[str], About("Problems of the record")]


_MEANINGS = {
    "all": "every server",
    "include": "servers that the record of {value} lets pass",
    "a": "servers at the addresses of {value}",
    "mx": "the mail servers of {value}",
    "ptr": "servers whose name ends in {value} (deprecated)",
    "ip4": "servers in {value}",
    "ip6": "servers in {value}",
    "exists": "servers for which {value} has an address",
    "redirect": "the record of {value} decides the rest",
    "exp": "{value} explains refusals",
}


@tool(
    tags="spf record explain sender policy framework email include ip4 all lookups",
    use_when=(
        "What does v=spf1 include:_spf.example.com ip4:192.0.2.0/24 -all mean?",
        "Is my SPF record correct?",
        "How many DNS lookups does this SPF record need?",
    ),
    examples=(
        Example(
            {"record": "v=spf1 a:colo.example.com/28 mx ip4:192.0.2.0/24 include:example.net -all"},
            {
                "lookups": 3,
                "problems": [],
                "terms": [
                    {
                        "term": "a:colo.example.com/28",
                        "result": "pass",
                        "meaning": "servers at the addresses of colo.example.com/28",
                    },
                    {"term": "mx", "result": "pass", "meaning": "the mail servers of the domain itself"},
                    {"term": "ip4:192.0.2.0/24", "result": "pass", "meaning": "servers in 192.0.2.0/24"},
                    {
                        "term": "include:example.net",
                        "result": "pass",
                        "meaning": "servers that the record of example.net lets pass",
                    },
                    {"term": "-all", "result": "fail", "meaning": "every server"},
                ],
            },
            source="RFC 7208, sections 4.6.4 and 5, and its appendix A",
        ),
        Example(
            {"record": "v=spf1 +all ip4:300.1.1.1"},
            {
                "lookups": 0,
                "problems": [
                    "+all lets every server pass.",
                    "ip4:300.1.1.1 is no address or network.",
                    "ip4:300.1.1.1 stands after all and has no effect.",
                ],
            },
            source="RFC 7208, sections 5.1 and 5.6",
        ),
        Refusal({"record": "spf1 -all"}, "begin with v=spf1"),
    ),
    reply={
        "problems": "The record has problems: {problems}",
        "terms": "The record means, and the first match decides: {terms}",
        "": "The record has no terms.",
    },
)
def spf_explain_record(
    record: Annotated[str, About("SPF record", "v=spf1 mx -all", min_length=1, max_length=5000)],
) -> Spf:
    """Explain an SPF record term by term: which servers may send mail of a domain, and what happens to others.

    Use it to read, review or write the TXT record. It counts the DNS look-ups, up to ten of which are allowed.
    """
    words = record.strip().strip('"').split()
    if not words or words[0].lower() != "v=spf1":
        raise ToolError("An SPF record must begin with v=spf1, such as v=spf1 mx -all.")
    terms = [_mechanism(word) for word in words[1:200]]
    kinds = [_kind(word) for word in words[1:200]]
    lookups = sum(kind in _LOOKUPS for kind in kinds)
    problems = [problem for word in words[1:200] if (problem := _fault(word))]
    if "all" in kinds:
        last = kinds.index("all")
        problems += [f"{word} stands after all and has no effect." for word in words[last + 2 : 200] if "=" not in word]
    elif "redirect" not in kinds:
        problems.append("It does not end with all: other servers are neutral.")
    if lookups > 10:
        problems.append(
            "It needs more than ten DNS look-ups: receivers treat it as an error (RFC 7208, section 4.6.4)."
        )
    return {"terms": terms, "lookups": lookups, "problems": problems}


def _kind(word: str) -> str:
    return re.split(r"[:=/]", word.lstrip("+-~?"), maxsplit=1)[0].lower()


def _mechanism(word: str) -> Mechanism:
    kind = _kind(word)
    value = word.lstrip("+-~?")[len(kind) :].lstrip(":=") or "the domain itself"
    value = f"the domain itself, {value}" if value.startswith("/") else value
    modifier = re.match(r"[A-Za-z][\w.-]*=", word) is not None
    result = "modifier" if modifier else {"-": "fail", "~": "softfail", "?": "neutral"}.get(word[0], "pass")
    return {"term": word, "result": result, "meaning": _MEANINGS.get(kind, "unknown").format(value=value)}


def _fault(word: str) -> str:
    kind, value = _kind(word), word.partition(":")[2]
    if kind not in _MEANINGS and "=" not in word:
        return f"{word} is no mechanism: the whole record is an error."
    if kind == "ptr":
        return f"{word} should not be used (RFC 7208, section 5.5)."
    if word in ("+all", "all"):
        return f"{word} lets every server pass."
    if kind in ("ip4", "ip6"):
        try:
            fits = ip_network(value, strict=False).version == int(kind[2])
        except ValueError:
            fits = False
        return "" if fits else f"{word} is no address or network."
    return ""
