"""Who registered a domain or an address: WHOIS."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Listener, Refusal, ToolError, ToolUnavailable, tool
from retinue.sdk.network import connect
from retinue_tools.web._name_servers import Domain, host_and_port


class Whois(TypedDict):
    """What WHOIS servers say."""

    server: Annotated[str, About("Server that answered last")]
    text: Annotated[str, About("Its answer, up to 50,000 characters")]
    fields: Annotated[dict[str, list[str]], About("Values by their names, as far as it has any")]
    referred_by: Annotated[list[str], About("Servers that led there")]


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
                "second": Listener(
                    "text",
                    {
                        "example.test": "% notice\nDomain Name: EXAMPLE.TEST\n"
                        "Name Server: A.EXAMPLE\nName Server: B.EXAMPLE\n"
                    },
                ),
                "first": Listener("text", {"example.test": "refer: {second}\ndomain: TEST\n"}),
            },
        ),
        Example(
            {"query": "none.test", "server": "{only}", "follow": False},
            {"text": "No match.\r\n", "fields": {}, "referred_by": []},
            source="what the stand-in says of what it does not know",
            servers={"only": Listener("text", {})},
        ),
        Refusal({"query": "two words"}, "no domain"),
    ),
    open_world=True,
    pace="normal",
)
def domain_lookup_whois(
    query: Domain,
    server: Annotated[
        str, About("WHOIS server to ask first, with a port where that is not 43", "whois.iana.org", max_length=260)
    ] = "whois.iana.org",
    follow: Annotated[bool, About("Whether to ask on where the server refers to another")] = True,
) -> Whois:
    """Ask WHOIS servers for a domain or an IP address, from the root of all registries down to the one in charge.

    Use it where RDAP has no answer. Returns the text of the last server and the fields that can be read out of it.
    """
    name = query.strip()
    if not re.fullmatch(r"[\w.:/-]+", name):
        raise ToolError(f"{query} is no domain and no IP address.")
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
