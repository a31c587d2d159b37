"""Domain names with letters beyond ASCII."""

from typing import Annotated

import idna
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool


class DomainSpelling(TypedDict):
    """A domain name in both spellings."""

    ascii: Annotated[str, About("As the name system has it, with xn--")]
    unicode: Annotated[str, About("As people read it")]
    is_international: Annotated[bool, About("Whether it has letters beyond ASCII")]


@tool(
    tags="punycode idn idna xn-- domain international ascii unicode umlaut host name encode decode",
    use_when=(
        "What is münchen.de in punycode?",
        "Which domain is xn--bcher-kva.example?",
        "ASCII form of the domain bücherstübchen.example",
    ),
    examples=(
        Example(
            {"domain": "münchen.de"}, {"ascii": "xn--mnchen-3ya.de", "is_international": True}, "RFC 3492 encoders"
        ),
        Example(
            {"domain": "xn--bcher-kva.example"},
            {"unicode": "bücher.example"},
            source="RFC 5891's predecessor's example",
        ),
        Refusal({"domain": "a..b"}, "not a domain name"),
    ),
)
def domain_convert_punycode(
    domain: Annotated[str, About("Domain name in either spelling", "münchen.de", min_length=1, max_length=253)],
) -> DomainSpelling:
    """Convert a domain name with letters beyond ASCII to punycode (xn--), or punycode to letters (IDNA 2008, UTS 46).

    Use it for links, certificates and zone files. Returns both spellings.
    """
    try:
        plain = idna.encode(domain.strip(), uts46=True).decode()
        readable = idna.decode(plain)
    except idna.IDNAError as error:
        raise ToolError(f"{domain} is not a domain name: {error}.") from error
    return {"ascii": plain, "unicode": readable, "is_international": plain != readable}
