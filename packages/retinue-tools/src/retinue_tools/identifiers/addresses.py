"""Lookup and validation of characters and mail addresses."""

import re
import unicodedata
from functools import cache
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._word_lists import word_list

_FREE = set(
    word_list(
        "gmail.com googlemail.com yahoo.com yahoo.co.uk outlook.com hotmail.com live.com msn.com icloud.com me.com "
        "aol.com "
        "gmx.de gmx.net gmx.com web.de mail.com mail.ru yandex.ru proton.me protonmail.com zoho.com fastmail.com "
        "t-online.de "
        "orange.fr free.fr laposte.net libero.it qq.com 163.com 126.com naver.com"
    )
)
_DISPOSABLE = set(
    word_list(
        "mailinator.com guerrillamail.com 10minutemail.com tempmail.com temp-mail.org yopmail.com trashmail.com "
        "getnada.com sharklasers.com dispostable.com maildrop.cc throwawaymail.com mohmal.com fakeinbox.com "
        "mailnesia.com"
    )
)
_ROLES = set(
    word_list(
        "admin administrator abuse accounts billing contact help helpdesk hello hostmaster hr info jobs mail marketing "
        "newsletter no-reply noreply office orders postmaster press privacy root sales security support team webmaster"
    )
)
_SLIPS = {"gamil.com": "gmail.com", "gmial.com": "gmail.com", "gmai.com": "gmail.com", "gmail.co": "gmail.com"}
_SLIPS |= {
    "hotmial.com": "hotmail.com",
    "hotmail.co": "hotmail.com",
    "yaho.com": "yahoo.com",
    "outlok.com": "outlook.com",
}
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


class MailAddress(TypedDict):
    """A mail address."""

    valid: Annotated[bool, About("Whether it is well formed (RFC 5321, RFC 6531); not whether it receives mail")]
    problem: Annotated[str, About("Problem description; empty if there is none")]
    normalized: Annotated[str, About("With the domain in lower case")]
    local_part: Annotated[str, About("Part before the @")]
    domain: Annotated[str, About("Part after the @")]
    ascii_domain: Annotated[str, About("The domain in Punycode")]
    mailbox: Annotated[str, About("Canonical address: without +tag, and for Gmail without dots")]
    free: Annotated[bool, About("Whether the domain is a free mail provider")]
    disposable: Annotated[bool, About("Whether it is a known disposable domain")]
    role: Annotated[bool, About("Whether it is a role address such as info or sales")]
    suggestion: Annotated[str | None, About("Suggested correction")]


@tool(
    tags="email address validate check normalize disposable free role typo syntax",
    use_when=(
        "Is ann.smith+news@gmail.com a valid email address?",
        "Is this a disposable or a role address?",
        "Find the typo in bob@gmial.com",
        "Is this a real email address?",
    ),
    examples=(
        Example(
            {"address": "Ann.Smith+news@Gmail.com"},
            {
                "valid": True,
                "normalized": "Ann.Smith+news@gmail.com",
                "mailbox": "annsmith@gmail.com",
                "free": True,
                "local_part": "Ann.Smith+news",
                "domain": "gmail.com",
                "ascii_domain": "gmail.com",
                "disposable": False,
            },
            source="Google's help: dots do not matter in Gmail addresses; RFC 5233 on +",
        ),
        Example(
            {"address": "info@gmial.com"},
            {"valid": True, "role": True, "suggestion": "info@gmail.com"},
            source="by hand",
        ),
        Example(
            {"address": "a..b@example.com"},
            {"valid": False, "problem": "The part before the @ has a character or dot that may not stand there."},
            source="RFC 5321, section 4.1.2: dot-string",
        ),
        Refusal({"address": "a"}, "address"),
    ),
    reply={
        "not valid, problem": "{args.address} is not a valid e-mail address: {problem}",
        "not valid": "{args.address} is not a valid e-mail address.",
        "suggestion": "{args.address} is well formed, but perhaps {suggestion} is meant.",
        "disposable": "{args.address} is a valid e-mail address, but a disposable one.",
        "role": "{args.address} is a valid e-mail address of an office, not of a person.",
        "": "{args.address} is a valid e-mail address.",
    },
)
def email_validate_address(
    address: Annotated[str, About("Mail address", "ann@example.org", min_length=3, max_length=400)],
) -> MailAddress:
    """Check the form of a mail address, normalise it, and detect free, disposable, role (office) or mistyped addresses.

    Use it for sign-up forms and lists. It does not check whether the mailbox exists.
    """
    local, mark, domain = address.strip().rpartition("@")
    domain = domain.lower().rstrip(".")
    ascii_domain = _punycode(domain)
    problem = _problem(local, mark, domain, ascii_domain)
    base = local.partition("+")[0].lower()
    mailbox = base.replace(".", "") if domain in ("gmail.com", "googlemail.com") else base
    return {
        "valid": not problem,
        "problem": problem,
        "normalized": f"{local}{mark}{domain}",
        "local_part": local,
        "domain": domain,
        "ascii_domain": ascii_domain,
        "mailbox": f"{mailbox}@{domain}",
        "free": domain in _FREE,
        "disposable": domain in _DISPOSABLE,
        "role": base in _ROLES,
        "suggestion": f"{local}@{_SLIPS[domain]}" if domain in _SLIPS else None,
    }


def _punycode(domain: str) -> str:
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return ""


def _problem(local: str, mark: str, domain: str, ascii_domain: str) -> str:
    quoted = re.fullmatch(r'"(?:[^"\\\r\n]|\\[ -~])*"', local)
    checks = {
        "There is no @ in it.": not mark,
        "There is nothing before the @.": not local,
        "The part before the @ is longer than 64 bytes.": len(local.encode(errors="replace")) > 64,
        "The part before the @ has a character or dot that may not stand there.": not quoted
        and not re.fullmatch(rf"{_ATOM}(?:\.{_ATOM})*", local),
        "The domain has no dot.": "." not in domain,
        "The domain has a part that may not stand there.": len(ascii_domain) > 253
        or not all(_LABEL.fullmatch(label) for label in ascii_domain.split(".")),
        "The top-level domain is a number.": domain.rpartition(".")[2].isdigit(),
    }
    return next((text for text, found in checks.items() if found), "")


class Character(TypedDict):
    """A character."""

    character: Annotated[str, About("The character itself")]
    code_point: Annotated[str, About("Code point, such as U+00E9")]
    name: Annotated[str, About("Unicode name")]
    category: Annotated[str, About("General category, such as Sm for mathematical symbols")]
    html: Annotated[str, About("HTML reference")]


class Characters(TypedDict):
    """Matching characters."""

    count: Annotated[int, About("Number of matches")]
    characters: Annotated[list[Character], About("First matches; whole words come before parts")]


@tool(
    tags="unicode character search find name symbol emoji arrow code point",
    use_when=(
        "Find the Unicode arrow characters that point right",
        "What is the code point of the euro sign?",
        "Search a symbol named snowman",
    ),
    examples=(
        Example(
            {"words": "euro sign", "most": 1},
            {
                "count": 3,
                "characters": [
                    {
                        "character": "€",
                        "code_point": "U+20AC",
                        "name": "EURO SIGN",
                        "category": "Sc",
                        "html": "&#x20AC;",
                    }
                ],
            },
            source="the Unicode Character Database: also U+20A0 and U+1F4B6",
        ),
        Example({"words": "snowman", "kind": "symbols", "most": 1}, {"count": 3}, source="U+2603, U+26C4 and U+26C7"),
        Refusal({"words": "zzzqqq"}, "no character"),
    ),
    reply={
        "characters.1": "I found {count|character}: {characters}",
        "characters": "{characters.0.character} is {characters.0.code_point}, {characters.0.name}.",
        "": "There is no such character.",
    },
)
def unicode_search_characters(
    words: Annotated[str, About("Words of the name, in any order", "rightwards arrow", min_length=2, max_length=100)],
    kind: Annotated[
        Literal["any", "letters", "symbols", "punctuation", "numbers"], About("Only characters of this kind")
    ] = "any",
    most: Annotated[int, About("Maximum number of characters", minimum=1, maximum=500)] = 50,
) -> Characters:
    """Find Unicode characters by words of their names, with code points and HTML references.

    Use it to find symbols, arrows, letters and emoji. All words must be in the name.
    """
    terms = words.upper().split()
    initial = {"letters": "L", "symbols": "S", "punctuation": "P", "numbers": "N"}.get(kind, "")
    fits = [
        (name, sign)
        for name, sign in _names()
        if all(word in name for word in terms) and unicodedata.category(sign).startswith(initial)
    ]
    if not fits:
        raise ToolError("There is no character whose name contains all these words. Use fewer words, in English.")
    fits.sort(key=lambda pair: (sum(word not in re.split("[ -]", pair[0]) for word in terms), len(pair[0]), pair[1]))
    return {"count": len(fits), "characters": [_character(name, sign) for name, sign in fits[:most]]}


@cache
def _names() -> list[tuple[str, str]]:
    signs = map(chr, (*range(0xD800), *range(0xE000, 0x32000), *range(0xE0000, 0xE0200)))
    return [(name, sign) for sign in signs if (name := unicodedata.name(sign, ""))]


def _character(name: str, sign: str) -> Character:
    return {
        "character": sign,
        "code_point": f"U+{ord(sign):04X}",
        "name": name,
        "category": unicodedata.category(sign),
        "html": f"&#x{ord(sign):X};",
    }
