"""Regular expressions with catastrophic backtracking, and identification of hashes by their format."""

import re
import time
import warnings
from importlib import import_module
from typing import Annotated, Any

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

# The parser of the standard library has no public name.
codes: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT}


class Redos(TypedDict):
    """Result of checking a pattern for ReDoS."""

    vulnerable: Annotated[bool, About("Whether its structure allows exponential time, or the attack was slow")]
    findings: Annotated[list[str], About("Dangerous parts")]
    attack: Annotated[str | None, About("A slow input")]
    slowdown: Annotated[float | None, About("Ratio of its time to that of a shorter one")]
    advice: Annotated[str, About("Suggested fix; empty if there is no problem")]


@tool(
    tags="regex redos catastrophic backtracking denial of service pattern check safe",
    use_when=(
        "Is the regex ^(a+)+$ vulnerable to ReDoS?",
        "Check this pattern for catastrophic backtracking",
        "Why does my regex hang on long input?",
    ),
    examples=(
        Example(
            {"pattern": "^(a+)+$"},
            {"vulnerable": True, "findings": ["A repetition stands within a repetition."]},
            source="OWASP, Regular expression Denial of Service: an evil regex",
        ),
        Example(
            {"pattern": "^(a|aa)+$"},
            {"vulnerable": True, "findings": ["Alternatives that begin alike are repeated."]},
            source="OWASP, the same",
        ),
        Example(
            {"pattern": r"^\d{4}-\d{2}-\d{2}$"}, {"vulnerable": False, "findings": [], "attack": None}, source="by hand"
        ),
        Refusal({"pattern": "("}, "not a regular expression"),
    ),
    reply={
        "vulnerable, findings": "Careful, this pattern can take forever: {findings}",
        "vulnerable": "Careful, this pattern can take forever.",
        "": "The pattern is safe.",
    },
    idempotent=False,
)
def regex_check_backtracking(
    pattern: Annotated[str, About("Regular expression in Python syntax", "^(a+)+$", min_length=1, max_length=1000)],
) -> Redos:
    """Find out whether a regular expression can be made to take forever (ReDoS), by its structure and by attacks.

    Use it before a pattern is applied to untrusted input. Attacks are tried for at most a second.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ToolError(f"This is not a regular expression: {error}.") from error
    findings = list(dict.fromkeys(_dangers(tree, repeated=False)))
    attack, slowdown = _attack(pattern, tree)
    advice = (
        "Make the parts exclude each other, use possessive repetitions or atomic groups, or limit the input's length."
    )
    return {
        "vulnerable": bool(findings) or attack is not None,
        "findings": findings,
        "attack": attack,
        "slowdown": slowdown,
        "advice": advice if findings or attack else "",
    }


def _dangers(tree: Any, *, repeated: bool) -> list[str]:
    found: list[str] = []
    for code, argument in tree:
        inner = repeated
        if code in _REPEATS:
            endless = argument[1] > 20
            if endless and repeated and len(tree) == 1:
                found.append("A repetition stands within a repetition.")
            inner = repeated or endless
        if code is codes.BRANCH and repeated and _begin_alike(argument[1], tree):
            found.append("Alternatives that begin alike are repeated.")
        for part in _parts(code, argument):
            found += _dangers(part, repeated=inner)
    return found


def _parts(code: Any, argument: Any) -> list[Any]:
    if code is codes.BRANCH:
        return list(argument[1])
    found = argument if isinstance(argument, tuple) else (argument,)
    return [part for part in found if isinstance(part, parser.SubPattern)]


def _begin_alike(branches: list[Any], sequence: Any) -> bool:
    """Check whether two branches may match the same text: the parser has moved their common prefix before them."""
    firsts = [str(branch[0]) for branch in branches if len(branch)]
    begins_again = len(firsts) < len(branches) and str(sequence[0]) in firsts
    return len(set(firsts)) < len(firsts) or begins_again


def _attack(pattern: str, tree: Any) -> tuple[str | None, float | None]:
    """Build ever longer texts that repeat a character of the pattern and end without a match, until one is slow."""
    signs = sorted({chr(value) for value in _literals(tree) if value < 0x10000})[:6] or ["a", "0", " "]
    deadline = time.monotonic() + 1.0
    for sign in dict.fromkeys([*signs, "a", "0", " "]):
        before = 0.0
        for size in (12, 24, 48, 5000, 10_000):
            took = _seconds(pattern, sign * size + "\x00!")
            if took > 0.2:
                return f"{sign * min(size, 60)}{'…' if size > 60 else ''}\\x00!", round(took / max(before, 1e-5), 1)
            before = took
            if time.monotonic() > deadline:
                return None, None
    return None, None


def _seconds(pattern: str, text: str) -> float:
    start = time.perf_counter()
    try:
        regex.search(pattern, text, timeout=0.5)
    except TimeoutError:
        return 0.5
    except regex.error:
        return 0.0
    return time.perf_counter() - start


def _literals(tree: Any) -> list[int]:
    found: list[int] = []
    for code, argument in tree:
        if code is codes.LITERAL:
            found.append(argument)
        if code is codes.IN:
            found += [
                value if kind is codes.LITERAL else value[0]
                for kind, value in argument
                if kind in (codes.LITERAL, codes.RANGE)
            ]
        for part in _parts(code, argument):
            found += _literals(part)
    return found


class HashGuess(TypedDict):
    """A possible kind of hash."""

    name: Annotated[str, About("Name of the function or scheme")]
    for_passwords: Annotated[bool, About("Whether it is intended for storing passwords")]
    weak: Annotated[bool, About("Whether it is broken or too fast for its purpose")]


class HashGuesses(TypedDict):
    """Possible kinds of a hash, most likely first."""

    candidates: Annotated[list[HashGuess], About("All matching kinds; empty if there is none")]
    bits: Annotated[int | None, About("Length in bits if it is plain hexadecimal")]


_SCHEMES = (
    (r"\$argon2(id|i|d)\$.+", "Argon2", False),
    (r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}", "bcrypt", False),
    (r"\$y\$.+", "yescrypt", False),
    (r"\$7\$.+|scrypt:.+|\$scrypt\$.+", "scrypt", False),
    (r"\$6\$.+", "SHA-512 crypt", False),
    (r"\$5\$.+", "SHA-256 crypt", False),
    (r"\$1\$.+", "MD5 crypt", True),
    (r"\$apr1\$.+", "Apache MD5 crypt", True),
    (r"\$[PH]\$[./A-Za-z0-9]{31}", "phpass (WordPress)", True),
    (r"\$S\$[./A-Za-z0-9]{52}", "Drupal 7 SHA-512", False),
    (r"pbkdf2_sha(1|256|512)\$.+", "PBKDF2 (Django)", False),
    (r"(?i)pbkdf2:sha\d+:.+", "PBKDF2 (Werkzeug)", False),
    (r"\{S?SHA\}.+", "SHA-1 (LDAP)", True),
    (r"\*[0-9A-Fa-f]{40}", "MySQL 4.1", True),
    (r"md5[0-9a-f]{32}", "PostgreSQL MD5", True),
    (r"SCRAM-SHA-256\$.+", "SCRAM-SHA-256 (PostgreSQL)", False),
    (r"[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}", "LM and NT hash (Windows)", True),
)
_LENGTHS: dict[int, tuple[tuple[str, bool, bool], ...]] = {
    8: (("CRC-32", False, True), ("Adler-32", False, True)),
    32: (("MD5", False, True), ("NT hash (Windows)", True, True), ("MD4", False, True)),
    40: (("SHA-1", False, True), ("RIPEMD-160", False, False)),
    56: (("SHA-224", False, False), ("SHA3-224", False, False)),
    64: (("SHA-256", False, False), ("SHA3-256", False, False), ("BLAKE2s", False, False), ("BLAKE3", False, False)),
    96: (("SHA-384", False, False), ("SHA3-384", False, False)),
    128: (
        ("SHA-512", False, False),
        ("SHA3-512", False, False),
        ("BLAKE2b", False, False),
        ("Whirlpool", False, False),
    ),
}


@tool(
    tags="hash identify type recognize md5 sha1 bcrypt argon2 ntlm crypt unknown",
    use_when=(
        "What kind of hash is 5f4dcc3b5aa765d61d8327deb882cf99?",
        "Is $2b$12$… bcrypt?",
        "Which algorithm made this password hash?",
    ),
    examples=(
        Example(
            {"hash_text": "900150983cd24fb0d6963f7d28e17f72"},
            {
                "bits": 128,
                "candidates": [
                    {"name": name, "for_passwords": kept, "weak": True}
                    for name, kept in (("MD5", False), ("NT hash (Windows)", True), ("MD4", False))
                ],
            },
            source="RFC 1321: MD5 has 128 bits, as have MD4 and the NT hash",
        ),
        Example(
            {
                "hash_text": "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO/O81"
                "7G3uBnIFNjnQJuesI68OTLiBFdcbYEdFCoEOfaS35inz1"
            },
            {"bits": None, "candidates": [{"name": "SHA-512 crypt", "for_passwords": True, "weak": False}]},
            source="Drepper, Unix crypt using SHA-256 and SHA-512",
        ),
        Refusal({"hash_text": "abc"}, "hash_text"),
    ),
    reply={
        "candidates.1": "It may be one of these: {candidates}",
        "candidates": "It is most likely {candidates.0.name}.",
        "": "It matches no known kind of hash.",
    },
)
def hash_identify_kind(
    hash_text: Annotated[str, About("The hash", "900150983cd24fb0d6963f7d28e17f72", min_length=8, max_length=2000)],
) -> HashGuesses:
    """Guess (identify) by which function or password scheme a hash was made, from its prefix and length.

    Use it for database entries. Functions of equal length cannot be distinguished, so all are listed.
    """
    plain = hash_text.strip()
    for pattern, name, weak in _SCHEMES:
        if re.fullmatch(pattern, plain):
            return {"candidates": [{"name": name, "for_passwords": True, "weak": weak}], "bits": None}
    fits = _LENGTHS.get(len(plain), ()) if re.fullmatch("[0-9A-Fa-f]+", plain) else ()
    return {
        "candidates": [{"name": name, "for_passwords": kept, "weak": weak} for name, kept, weak in fits],
        "bits": 4 * len(plain) if fits else None,
    }
