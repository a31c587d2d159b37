"""How hard a password is to guess, estimated from the patterns that people use."""

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, NamedTuple

from faker.providers.lorem.en_US import Provider as EnglishWords
from faker.providers.person.en_US import Provider as EnglishNames
from typing_extensions import TypedDict

from retinue.tools.declare import About, Example, Refusal, tool
from retinue.tools.library.text.word_lists import listed

_COMMON = listed(
    "123456 password 123456789 12345678 12345 qwerty 1234567 111111 123123 abc123 1234567890 1234 iloveyou "
    "password1 000000 qwerty123 1q2w3e4r admin qwertyuiop 654321 555555 lovely 7777777 welcome 888888 princess "
    "dragon 123qwe 666666 1qaz2wsx 987654321 121212 monkey sunshine letmein football shadow master superman "
    "michael batman trustno1 baseball jordan killer charlie donald freedom whatever qazwsx starwars login "
    "passw0rd hello secret hunter2 access flower ninja mustang solo hottie loveme zaq1zaq1 cheese computer "
    "corvette matrix test guest root user changeme default pokemon google soccer summer winter spring autumn "
    "january february march april june july august september october november december monday friday london "
    "berlin liverpool arsenal chelsea banana orange apple cookie ginger pepper purple silver golden maggie buster "
    "hannah thomas tigger robert jessica ashley daniel andrew joshua"
)
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890", "qwertzuiop", "azertyuiop", "1qaz2wsx3edc4rfv5tgb")
_LEET = str.maketrans("@43105$7!", "aaeiossti")
_YEAR = re.compile(r"19[3-9]\d|20[0-4]\d")
_DATE = re.compile(r"(?:0?[1-9]|[12]\d|3[01])[./-]?(?:0?[1-9]|1[0-2])[./-]?(?:19|20)?\d\d")
_RATES = {"online_limited": 100 / 3600, "online": 10.0, "offline_slow_hash": 1e4, "offline_fast_hash": 1e10}


class Part(NamedTuple):
    """A stretch of a password that is guessed as one."""

    start: int
    end: int
    kind: str
    guesses: float


class Piece(TypedDict):
    """A stretch of the password that an attacker guesses as one."""

    kind: Annotated[str, About("common_password, word, repeat, sequence, keyboard, date, year, user_word or random")]
    start: Annotated[int, About("Where it begins, from 0")]
    end: Annotated[int, About("Where it ends")]


class Strength(TypedDict):
    """How long a password withstands guessing."""

    score: Annotated[int, About("0 too weak, 1 very weak, 2 weak, 3 good, 4 strong")]
    entropy_bits: Annotated[float, About("2 to this many guesses are expected")]
    log10_guesses: Annotated[float, About("The same as a power of ten")]
    crack_seconds: Annotated[dict[str, float], About("Seconds to crack, at most 1e30, by the kind of attack")]
    pieces: Annotated[list[Piece], About("What it is made of, in the eyes of an attacker")]
    advice: Annotated[list[str], About("How to make it stronger")]


@tool(
    tags="password strength entropy crack time score estimate guess zxcvbn",
    use_when=(
        "How strong is the password Tr0ub4dor&3?",
        "How long would it take to crack this password?",
        "Is qwerty2024 a good password?",
    ),
    examples=(
        Example(
            {"password": "password"},
            {"score": 0, "pieces": [{"kind": "common_password", "start": 0, "end": 8}]},
            source="second of the most used passwords in every published list",
        ),
        Example(
            {"password": "vK9#tq2Lx&Zw"},
            {"score": 4, "entropy_bits": 78.84, "pieces": [{"kind": "random", "start": 0, "end": 12}]},
            source="by hand: 12 times log2(95)",
            tolerance=1e-3,
        ),
        Example(
            {"password": "anna1987", "user_words": ["Anna"]},
            {
                "score": 1,
                "log10_guesses": 3.04,
                "pieces": [{"kind": "user_word", "start": 0, "end": 4}, {"kind": "year", "start": 4, "end": 8}],
            },
            source="by hand: 5 guesses for the word, 110 for the year, 2 for their order: 1,100",
        ),
        Refusal({"password": ""}, "password"),
    ),
)
def password_estimate_strength(
    password: Annotated[str, About("The password", "Tr0ub4dor&3", min_length=1, max_length=100)],
    user_words: Annotated[
        list[Annotated[str, About("Word", "anna", min_length=2, max_length=100)]] | None,
        About("What an attacker may know: names, company, birthday", ["anna"], max_items=50),
    ] = None,
) -> Strength:
    """Estimate how many guesses a password withstands, from words, names, keyboard runs, dates and repetitions in it.

    Use it to judge a password. Returns a score from 0 to 4, the time to crack it, what it is made of, and advice.
    """
    parts = _cheapest(password, {word.casefold() for word in user_words or []})
    # Each further part costs the attacker at least twice: how many parts there are is not known.
    log10 = min(sum(math.log10(part.guesses) for part in parts) + math.log10(2) * (len(parts) - 1), 200.0)
    score = sum(log10 >= bound for bound in (3, 6, 8, 10))
    return {
        "score": score,
        "entropy_bits": round(log10 / math.log10(2), 2),
        "log10_guesses": round(log10, 2),
        "crack_seconds": {attack: min(10**log10 / rate / 2, 1e30) for attack, rate in _RATES.items()},
        "pieces": [{"kind": part.kind, "start": part.start, "end": part.end} for part in parts],
        "advice": _advice(parts, score),
    }


def _cheapest(password: str, known: set[str]) -> list[Part]:
    """The parts by which a password is guessed with the fewest guesses: a shortest path over its characters."""
    size = len(password)
    by_end: dict[int, list[Part]] = {}
    for part in _patterns(password, known):
        by_end.setdefault(part.end, []).append(part)
    best: list[tuple[float, list[Part]]] = [(0.0, [])]
    alphabet = _alphabet(password)
    for end in range(1, size + 1):
        cost, parts = best[end - 1]
        choices = [(cost + math.log10(alphabet), [*parts, Part(end - 1, end, "random", alphabet)])]
        for part in by_end.get(end, []):
            cost, parts = best[part.start]
            choices.append((cost + math.log10(part.guesses * 2), [*parts, part]))
        best.append(min(choices, key=lambda choice: choice[0]))
    return _joined(best[size][1])


def _joined(parts: list[Part]) -> list[Part]:
    """Neighbouring random characters as one part."""
    joined: list[Part] = []
    for part in parts:
        if joined and part.kind == joined[-1].kind == "random":
            last = joined[-1]
            joined[-1] = Part(last.start, part.end, "random", last.guesses * part.guesses)
        else:
            joined.append(part)
    return joined


def _alphabet(password: str) -> int:
    kinds = {"[a-z]": 26, "[A-Z]": 26, "[0-9]": 10, r"[!-/:-@\[-`{-~ ]": 33, "[^ -~]": 100}
    return sum(size for pattern, size in kinds.items() if re.search(pattern, password))


def _patterns(password: str, known: set[str]) -> Iterator[Part]:
    yield from _dictionary(password, known)
    lowered = password.lower()
    for twin in re.finditer(r"(.+?)\1+", lowered):
        repeats = len(twin[0]) // len(twin[1])
        if len(twin[0]) > 2:
            yield Part(*twin.span(), "repeat", _alphabet(twin[1]) ** min(len(twin[1]), 40) * repeats)
    for pattern, kind, guesses in ((_YEAR, "year", 110), (_DATE, "date", 365 * 110)):
        for start in range(len(password)):
            if (found := pattern.match(password, start)) and len(found[0]) > 3:
                yield Part(*found.span(), kind, guesses)
    yield from _runs(lowered)


def _runs(text: str) -> Iterator[Part]:
    """Neighbours in the alphabet, among the digits, or on a keyboard, forwards and backwards."""
    rows = {"sequence": ("abcdefghijklmnopqrstuvwxyz", "01234567890"), "keyboard": _ROWS}
    for kind, lines in rows.items():
        for row in (line for one in lines for line in (one, one[::-1])):
            pairs = {row[place : place + 2] for place in range(len(row) - 1)}
            start = 0
            for end in range(1, len(text) + 1):
                if end == len(text) or text[end - 1 : end + 1] not in pairs:
                    if end - start >= 3:
                        yield Part(start, end, kind, 60.0 * (end - start))
                    start = end


def _dictionary(password: str, known: set[str]) -> Iterator[Part]:
    ranks = _ranks()
    folded = password.lower()
    for spelled, factor in ((folded, 1), (folded.translate(_LEET), 4)):
        for start in range(len(password)):
            for end in range(start + 3, min(start + 20, len(password)) + 1):
                word = spelled[start:end]
                kind, rank = ("user_word", 5) if word in known else ranks.get(word, ("", 0))
                if kind and (factor == 1 or spelled[start:end] != folded[start:end]):
                    cased = 1 if password[start:end] in (word, folded[start:end]) else 2
                    yield Part(start, end, kind, float(rank * factor * cased))


@cache
def _ranks() -> dict[str, tuple[str, int]]:
    """Words with how many guesses they take."""
    names = [*EnglishNames.first_names, *EnglishNames.last_names]
    ranks = {name.lower(): ("word", 3000) for name in names}
    ranks |= {word.lower(): ("word", 3000) for word in EnglishWords.word_list}
    return ranks | {word: ("common_password", rank) for rank, word in enumerate(_COMMON, 2)}


_ADVICE = {
    "common_password": "Leave out passwords that everybody uses.",
    "word": "A word or name alone adds little: use several random words.",
    "repeat": "Repetitions add almost nothing.",
    "sequence": "Leave out runs such as abc and 123.",
    "keyboard": "Leave out runs of keys such as qwerty.",
    "date": "Leave out dates.",
    "year": "Leave out years.",
    "user_word": "Leave out names and words that belong to you.",
}


def _advice(parts: list[Part], score: int) -> list[str]:
    if score == 4:
        return []
    told = [_ADVICE[part.kind] for part in parts if part.kind in _ADVICE]
    return [*dict.fromkeys(told), "Make it longer: four or more random words, or 16 random characters."]
