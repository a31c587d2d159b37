"""Password strength: by human patterns, and by length for random passwords.

The pattern-based estimate is that of zxcvbn (Wheeler, "zxcvbn: Low-Budget Password Strength Estimation", USENIX
Security 2016), which contains English words and names; the most common passwords of other languages are added here.
"""

import math
import re
from collections.abc import Mapping
from math import log2
from typing import Annotated, Any

from typing_extensions import TypedDict
from zxcvbn import zxcvbn

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._word_lists import word_list
from retinue_tools.tidy import tidy

_FOREIGN = word_list(
    "passwort hallo schatz geheim sommer ficken hallo123 passwort1 willkommen fussball liebe motdepasse azerty doudou"
    " soleil bonjour loulou jetaime chouchou secret contraseña hola tequiero mierda barcelona estrella realmadrid"
    " princesa password1 ciao juventus amoremio francesca alessandro napoli senha brasil flamengo corinthians gabriel"
    " amor eutequiero mudar wachtwoord welkom geheim feyenoord hasło qwerty123 polska misiek kochanie пароль йцукен"
    " любовь привет"
)
"""Common passwords in German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian."""
_KINDS: Mapping[str, str] = {
    "repeat": "repeat", "sequence": "sequence", "spatial": "keyboard", "date": "date", "regex": "year",
    "bruteforce": "random",
}  # fmt: skip
_RATES = {"online_limited": 100 / 3600, "online": 10.0, "offline_slow_hash": 1e4, "offline_fast_hash": 1e10}
_LONGEST = 100


class Piece(TypedDict):
    """A part of the password that an attacker guesses as a unit."""

    kind: Annotated[str, About("common_password, word, repeat, sequence, keyboard, date, year, user_word or random")]
    start: Annotated[int, About("Start index, from 0")]
    end: Annotated[int, About("End index")]


class Strength(TypedDict):
    """Strength of a password."""

    score: Annotated[int, About("0 too weak, 1 very weak, 2 weak, 3 good, 4 strong")]
    entropy_bits: Annotated[float, About("Base-2 logarithm of the expected number of guesses")]
    log10_guesses: Annotated[float, About("Base-10 logarithm of the expected number of guesses")]
    crack_seconds: Annotated[dict[str, float], About("Seconds to crack, at most 1e30, by kind of attack")]
    pieces: Annotated[list[Piece], About("Parts of the password, as seen by an attacker")]
    advice: Annotated[list[str], About("Suggestions to make it stronger")]


@tool(
    tags="password strength entropy crack time score estimate guess zxcvbn",
    use_when=(
        "How strong is the password Tr0ub4dor&3?",
        "How long would it take to crack this password?",
        "Is qwerty2024 a good password?",
        "Is my password good?",
    ),
    examples=(
        Example(
            {"password": "password"},
            {"score": 0, "pieces": [{"kind": "common_password", "start": 0, "end": 8}]},
            source="second of the most used passwords in every published list",
        ),
        Example(
            {"password": "vK9#tq2Lx&Zw"},
            {"score": 4, "entropy_bits": 39.86, "pieces": [{"kind": "random", "start": 0, "end": 12}]},
            source="zxcvbn counts 10 guesses for a character that fits no pattern: 10^12",
            tolerance=1e-3,
        ),
        Example(
            {"password": "correct horse battery staple"},
            {"score": 4, "log10_guesses": 15.0},
            source="Wheeler: about 10^14 without blanks; a factor of 10 for the blanks",
            tolerance=0.1,
        ),
        Example({"password": "Tr0ub4dour&3"}, {"score": 2}, source="Wheeler: between 10^6 and 10^8"),
        *(
            Example({"password": word}, {"score": 0}, source=f"among the most used passwords in {language}")
            for language, word in (("French", "azerty"), ("Spanish", "tequiero"), ("Russian", "пароль"))
        ),
        Example(
            {"password": "Zebulina1987", "user_words": ["Zebulina"]},
            {
                "score": 1,
                "pieces": [{"kind": "user_word", "start": 0, "end": 8}, {"kind": "year", "start": 8, "end": 12}],
            },
            source="by hand: a word that is known, and a year",
        ),
        Refusal({"password": ""}, "password"),
    ),
    reply={
        "advice": "The password scores {score} of 4, with {entropy_bits} bits: {advice}",
        "": "The password scores {score} of 4, with {entropy_bits} bits.",
    },
)
def password_estimate_strength(
    password: Annotated[str, About("The password", "Tr0ub4dor&3", min_length=1, max_length=_LONGEST)],
    user_words: Annotated[
        list[Annotated[str, About("Word", "anna", min_length=2, max_length=100)]] | None,
        About("Words that an attacker may know: names, company, birthday", ["anna"], max_items=50),
    ] = None,
) -> Strength:
    """Estimate how many guesses a password withstands, from words, names, keyboard runs, dates and repetitions in it.

    Use it to evaluate a password. Returns a score from 0 to 4, the time to crack it, its parts, and advice.
    """
    known = [word.casefold() for word in user_words or []]
    estimate = _estimate(password, known)
    log10 = max(float(estimate["guesses_log10"]), 0.0)
    # zxcvbn does not know spaces between words. An attacker tries words without separators first, and then with a few
    # common ones.
    if len(words := re.split(r"[\s._-]+", password)) > 1 and (joined := "".join(words)):
        log10 = min(log10, max(float(_estimate(joined, known)["guesses_log10"]), 0.0) + 1)
    score = sum(log10 >= bound for bound in (3, 6, 8, 10))
    pieces = [_piece(part, known) for part in estimate["sequence"]]
    return {
        "score": score,
        "entropy_bits": round(log10 / math.log10(2), 2),
        "log10_guesses": round(log10, 2),
        "crack_seconds": {attack: min(10**log10 / rate / 2, 1e30) for attack, rate in _RATES.items()},
        "pieces": pieces,
        "advice": _advice(pieces, score),
    }


def _estimate(password: str, known: list[str]) -> dict[str, Any]:
    estimate: dict[str, Any] = zxcvbn(password, user_inputs=[*known, *_FOREIGN], max_length=_LONGEST)
    return estimate


def _piece(part: Mapping[str, Any], known: list[str]) -> Piece:
    """Convert a match of zxcvbn, whose end is its last character."""
    kind = _KINDS.get(part["pattern"], "word")
    if part["pattern"] == "dictionary":
        if part["dictionary_name"] == "user_inputs":
            kind = "user_word" if part["matched_word"] in known else "common_password"
        elif part["dictionary_name"] == "passwords":
            kind = "common_password"
    return {"kind": kind, "start": part["i"], "end": part["j"] + 1}


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


def _advice(pieces: list[Piece], score: int) -> list[str]:
    if score == 4:
        return []
    reasons = [_ADVICE[piece["kind"]] for piece in pieces if piece["kind"] in _ADVICE]
    return [*dict.fromkeys(reasons), "Make it longer: four or more random words, or 16 random characters."]


_LOWER = _UPPER = 26
_DIGITS, _SYMBOLS = 10, 32
_YEAR_S = 365.25 * 86_400


class PasswordEntropy(TypedDict):
    """Number of random passwords of a kind."""

    entropy_bits: float
    combinations: Annotated[str, About("Total number")]
    alphabet: Annotated[int, About("Number of possible characters, or words, per position")]
    seconds_to_try_all: Annotated[float | None, About("Time to try all at the given rate of guesses")]
    hours_to_try_all: float | None
    years_to_try_all: float | None


@tool(
    tags="password entropy bits length characters combinations brute force guesses crack time random pin passphrase",
    use_when=(
        "How many bits of entropy has a random 12-character password of letters and digits?",
        "Entropy of six words drawn from a list of 7776",
        "How long does it take to try all 8-character lower-case passwords at 10 billion guesses a second?",
        "How many 4-digit PINs are there?",
    ),
    examples=(
        Example(
            {"length": 14, "lower": True, "upper": True, "digits": True},
            {"entropy_bits": 83.3587483, "alphabet": 62},
            source="14 log2(62)",
            tolerance=1e-8,
        ),
        Example({"length": 6, "alphabet": 7776}, {"entropy_bits": 77.5488750}, source="6 log2(7776)", tolerance=1e-8),
        Example(
            {"length": 8, "lower": True, "guesses_per_second": 1e10},
            {"combinations": "208827064576", "seconds_to_try_all": 20.8827064576},
            source="26^8, divided by 10^10",
        ),
        Refusal({"length": 8}, "alphabet"),
    ),
    reply={
        "years_to_try_all": "It has {entropy_bits} bits of entropy; trying all takes {years_to_try_all} years.",
        "": "It has {entropy_bits} bits of entropy, or {combinations} possibilities.",
    },
)
def password_compute_entropy(
    length: Annotated[int, About("Number of characters, or words of a passphrase", 14, minimum=1, maximum=10_000)],
    alphabet: Annotated[int | None, About("Size of the alphabet or word list", 7776, minimum=2, maximum=10**9)] = None,
    lower: Annotated[bool, About("26 lower-case letters")] = False,
    upper: Annotated[bool, About("26 upper-case letters")] = False,
    digits: Annotated[bool, About("10 digits")] = False,
    symbols: Annotated[bool, About("32 punctuation marks of ASCII")] = False,
    guesses_per_second: Annotated[
        float | None, About("Guesses per second of an attacker", 1e10, minimum=1e-30, maximum=1e30)
    ] = None,
) -> PasswordEntropy:
    """Compute the entropy of random passwords of a length and an alphabet, how many there are, and the time to try all.

    Use it for policies. For a specific password use password_estimate_strength.
    """
    size = alphabet or lower * _LOWER + upper * _UPPER + digits * _DIGITS + symbols * _SYMBOLS
    if not size:
        raise ToolError("Give alphabet, or the kinds of characters: lower, upper, digits, symbols.")
    seconds = guesses_per_second and 2 ** min(length * log2(size), 1000) / guesses_per_second
    return {
        "entropy_bits": tidy(length * log2(size)),
        "combinations": str(size**length) if length * log2(size) < 1000 else f"2^{length * log2(size):.3f}",
        "alphabet": size,
        "seconds_to_try_all": seconds and tidy(seconds),
        "hours_to_try_all": seconds and tidy(seconds / 3600),
        "years_to_try_all": seconds and tidy(seconds / _YEAR_S),
    }
