"""Generation of passwords, and checks against rules and breaches."""

import hashlib
import math
import re
import secrets
import string
from functools import cache
from typing import Annotated

from faker.providers.lorem.en_US import Provider as EnglishWords
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, ToolUnavailable, tool
from retinue.sdk.http import fetch

_SYMBOLS = "!#$%&*+-.:;<=>?@^_~"
_ALIKE = set("0OoIl1|")

Password = Annotated[str, About("The password", "correct horse battery staple", min_length=1, max_length=500)]


class Passwords(TypedDict):
    """New passwords."""

    passwords: Annotated[list[str], About("Passwords from the system's secure random source")]
    entropy_bits: Annotated[float, About("Entropy in bits: base-2 logarithm of the number of possible passwords")]


@tool(
    tags="password generate random strong secure policy symbols digits",
    use_when=(
        "Generate a strong password of 20 characters",
        "Give me five passwords without symbols for a database",
        "Make a 6-digit random PIN",
        "Make me a strong password",
        "New password",
    ),
    examples=(
        Example(
            {"length": 6, "lower": False, "upper": False, "symbols": False},
            {"entropy_bits": 19.93},
            source="by hand: log2(10^6)",
            tolerance=1e-3,
        ),
        Example(
            {"length": 16, "symbols": False, "each_kind": False},
            {"entropy_bits": 95.27},
            source="by hand: 16 times log2(62)",
            tolerance=1e-3,
        ),
        Refusal({"lower": False, "upper": False, "digits": False, "symbols": False}, "at least one kind"),
    ),
    reply={
        "passwords.1": "The passwords: {passwords}",
        "": "The password: {passwords.0}",
    },
    idempotent=False,
)
def password_generate_random(
    length: Annotated[int, About("Length of each password", minimum=4, maximum=256)] = 20,
    count: Annotated[int, About("Number of passwords", minimum=1, maximum=100)] = 1,
    lower: Annotated[bool, About("Use a to z")] = True,
    upper: Annotated[bool, About("Use A to Z")] = True,
    digits: Annotated[bool, About("Use 0 to 9")] = True,
    symbols: Annotated[bool, About("Use punctuation")] = True,
    avoid_alike: Annotated[bool, About("Whether to omit similar characters such as 0 and O")] = False,
    each_kind: Annotated[bool, About("Whether to include at least one character of each chosen kind")] = True,
) -> Passwords:
    """Generate random passwords or PINs of a length and of chosen kinds of characters.

    Use it for new accounts and keys. Returns the passwords, and the entropy of each in bits.
    """
    chosen = (
        string.ascii_lowercase * lower,
        string.ascii_uppercase * upper,
        string.digits * digits,
        _SYMBOLS * symbols,
    )
    kinds = ["".join(sign for sign in kind if not (avoid_alike and sign in _ALIKE)) for kind in chosen if kind]
    if not kinds:
        raise ToolError("Choose at least one kind of characters: lower, upper, digits or symbols.")
    needed = [set(kind) for kind in kinds] if each_kind else []
    alphabet = "".join(kinds)
    passwords = [_draw(alphabet, length, needed) for _ in range(count)]
    return {"passwords": passwords, "entropy_bits": round(_bits([len(kind) for kind in kinds], length, each_kind), 2)}


def _draw(alphabet: str, length: int, needed: list[set[str]]) -> str:
    """Draw again until each kind is included, so that all valid passwords are equally likely."""
    while True:
        password = "".join(secrets.choice(alphabet) for _ in range(length))
        if all(kind.intersection(password) for kind in needed):
            return password


def _bits(sizes: list[int], length: int, each_kind: bool) -> float:
    """Return the logarithm of the number of valid passwords, by inclusion and exclusion of missing kinds."""
    if not each_kind:
        return length * math.log2(sum(sizes))
    total = 0
    for chosen in range(1 << len(sizes)):
        missing = [size for place, size in enumerate(sizes) if chosen >> place & 1]
        total += (-1) ** len(missing) * (sum(sizes) - sum(missing)) ** length
    return math.log2(total)


class Passphrases(TypedDict):
    """New passphrases."""

    passphrases: Annotated[list[str], About("The passphrases")]
    entropy_bits: Annotated[float, About("Entropy in bits, assuming that the word list is known")]
    words_in_list: Annotated[int, About("Size of the word list")]


@tool(
    tags="passphrase generate words diceware memorable password",
    use_when=(
        "Generate a memorable passphrase of six words",
        "Give me a password of random words",
        "Make a diceware-like passphrase with a number",
    ),
    examples=(
        Example({"words": 6}, {"words_in_list": 971}, source="the length of the list without repetitions"),
        Example({"words": 8, "separator": "."}, {"words_in_list": 971}, source="the same"),
        Refusal({"words": 2}, "words"),
    ),
    reply={
        "passphrases.1": "The passphrases: {passphrases}",
        "": "The passphrase is {passphrases.0}, with {entropy_bits} bits of entropy.",
    },
    idempotent=False,
)
def password_generate_passphrase(
    words: Annotated[int, About("Number of words in each", minimum=4, maximum=20)] = 7,
    count: Annotated[int, About("Number of passphrases", minimum=1, maximum=50)] = 1,
    separator: Annotated[str, About("Separator of words", max_length=3)] = "-",
    capitalize: Annotated[bool, About("Whether to capitalise words")] = False,
    number: Annotated[bool, About("Whether to append a number from 0 to 99")] = False,
) -> Passphrases:
    """Generate passphrases of random English words, which people can remember and type.

    Use it for master passwords. Returns them with their entropy in bits, assuming that the word list is known.
    """
    known = _words()
    passphrases = []
    for _ in range(count):
        parts = [secrets.choice(known) for _ in range(words)]
        parts = [part.capitalize() if capitalize else part for part in parts]
        passphrases.append(separator.join([*parts, *([str(secrets.randbelow(100))] if number else [])]))
    bits = words * math.log2(len(known)) + (math.log2(100) if number else 0)
    return {"passphrases": passphrases, "entropy_bits": round(bits, 2), "words_in_list": len(known)}


@cache
def _words() -> list[str]:
    return sorted({word.lower() for word in EnglishWords.word_list if word.isascii() and word.isalpha()})


class PolicyCheck(TypedDict):
    """Result of checking a password against rules."""

    accepted: Annotated[bool, About("Whether it satisfies all rules")]
    broken: Annotated[list[str], About("Violated rules in words")]
    length: Annotated[int, About("Length in characters")]
    kinds: Annotated[list[str], About("Kinds of characters that it contains: lower, upper, digit, symbol and other")]


@tool(
    tags="password policy check rules complexity length validate nist",
    use_when=(
        "Does Summer2024 meet a policy of 12 characters with a symbol?",
        "Check this password against our rules",
        "Is the user name part of the password?",
    ),
    examples=(
        Example(
            {"password": "Summer2024", "min_length": 12, "require": ["upper", "symbol"]},
            {
                "accepted": False,
                "broken": ["It has 10 characters, not 12.", "It has no symbol."],
                "kinds": ["lower", "upper", "digit"],
                "length": 10,
            },
            source="by hand",
        ),
        Example(
            {"password": "4nn-Example!", "forbidden": ["ann", "EXAMPLE"]},
            {"accepted": False, "broken": ["It contains the forbidden word EXAMPLE."]},
            source="by hand: forbidden words are compared without case",
        ),
        Example({"password": "tr0mbone under snow"}, {"accepted": True, "broken": []}, source="by hand"),
        Refusal({"password": "a", "min_length": 30, "max_length": 20}, "min_length"),
    ),
    reply={
        "accepted": "The password meets all rules.",
        "broken": "The password does not meet the rules: {broken}",
        "": "The password does not meet the rules.",
    },
)
def password_check_policy(
    password: Password,
    min_length: Annotated[int, About("Minimum length", minimum=1, maximum=200)] = 12,
    max_length: Annotated[int, About("Maximum length", minimum=1, maximum=500)] = 128,
    require: Annotated[
        list[Annotated[str, About("Kind", "digit", pattern="^(lower|upper|digit|symbol)$", max_length=6)]] | None,
        About("Required kinds of characters: lower, upper, digit, symbol", ["digit"], max_items=4),
    ] = None,
    max_repeats: Annotated[int, About("Maximum number of consecutive equal characters", minimum=1, maximum=50)] = 3,
    forbidden: Annotated[
        list[Annotated[str, About("Word", "ann", min_length=1, max_length=100)]] | None,
        About("Forbidden words, such as user and company name", ["ann"], max_items=200),
    ] = None,
) -> PolicyCheck:
    """Check a password against rules: length, kinds of characters, repetitions and forbidden words.

    Use it to show a user what is wrong with a password. password_estimate_strength estimates how hard it is to guess.
    """
    if min_length > max_length:
        raise ToolError("min_length is above max_length. Swap them.")
    kinds = [name for name, pattern in _KINDS.items() if re.search(pattern, password)]
    size = len(password)
    checks = {f"It has {size} characters, not {min_length}.": size < min_length}
    checks[f"It has {size} characters, more than {max_length}."] = size > max_length
    checks |= {f"It has no {kind}.": kind not in kinds for kind in require or []}
    repeated = re.search(rf"(.)\1{{{max_repeats}}}", password, re.DOTALL)
    checks[f"A character comes more than {max_repeats} times in a row."] = repeated is not None
    folded = password.casefold()
    checks |= {f"It contains the forbidden word {word}.": word.casefold() in folded for word in forbidden or []}
    broken = [rule for rule, fails in checks.items() if fails]
    return {"accepted": not broken, "broken": broken, "length": size, "kinds": kinds}


_KINDS = {
    "lower": "[a-z]",
    "upper": "[A-Z]",
    "digit": "[0-9]",
    "symbol": r"[!-/:-@\[-`{-~ ]",
    "other": r"[^ -~]",
}


class Breaches(TypedDict):
    """Occurrences of a password in breaches."""

    breached: Annotated[bool, About("Whether it is in the list")]
    times_seen: Annotated[int, About("Number of occurrences; 0 if it is not in the list")]


@tool(
    tags="password breach leaked pwned haveibeenpwned k-anonymity check compromised",
    use_when=(
        "Has this password been leaked?",
        "Check my password in the breach list",
        "Is password123 in known data breaches?",
        "Has my password been stolen?",
        "Was my password hacked?",
    ),
    examples=(
        Example(
            {"password": "password", "service": "{site}/range"},
            {"breached": True, "times_seen": 52},
            source="SHA-1 of password is 5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8; the number is the stand-in's",
            site={
                "/range/5BAA6": MockResponse(
                    "0000000000000000000000000000000000A:1\r\n1E4C9B93F3F0682250B6CF8331B7EE68FD8:52"
                )
            },
        ),
        Example(
            {"password": "password", "service": "{site}/range"},
            {"breached": False, "times_seen": 0},
            source="a list without it",
            site={"/range/5BAA6": MockResponse("0000000000000000000000000000000000A:1")},
        ),
        Refusal({"password": "password", "service": "ftp://example.com"}, "service"),
    ),
    reply={
        "breached": "Yes, this password has been leaked {times_seen|time}; do not use it.",
        "": "No, this password is not in the list of leaks.",
    },
    open_world=True,
    pace="normal",
    idempotent=False,
)
def password_check_breaches(
    password: Password,
    service: Annotated[
        str,
        About("Address of a service with the range protocol of Pwned Passwords", pattern="^https?://", max_length=300),
    ] = "https://api.pwnedpasswords.com/range",
) -> Breaches:
    """Look up whether a password was leaked, without disclosing it: only five digits of its SHA-1 leave the machine.

    Use it before a password is accepted. Returns the number of occurrences in breaches.
    """
    digest = hashlib.sha1(password.encode(errors="replace"), usedforsecurity=False).hexdigest().upper()
    answer = fetch(f"{service.rstrip('/')}/{digest[:5]}", headers={"Add-Padding": "true"}, max_bytes=1_000_000)
    if answer.status != 200:
        raise ToolUnavailable(f"The breach list answered with status {answer.status}. Try again later.")
    seen = re.search(rf"^{digest[5:]}:(\d{{1,12}})\s*$", answer.text, re.MULTILINE)
    times = int(seen[1]) if seen else 0
    return {"breached": times > 0, "times_seen": times}
