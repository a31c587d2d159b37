"""How hard a password is to guess, estimated from the patterns that people use.

The estimate is that of zxcvbn (Wheeler, "zxcvbn: Low-Budget Password Strength Estimation", USENIX Security 2016), which
knows English words and names; the commonest passwords of other languages are given to it here.
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict
from zxcvbn import zxcvbn

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.text._word_lists import word_list

_FOREIGN = word_list(
    "passwort hallo schatz geheim sommer ficken hallo123 passwort1 willkommen fussball liebe motdepasse azerty doudou"
    " soleil bonjour loulou jetaime chouchou secret contraseña hola tequiero mierda barcelona estrella realmadrid"
    " princesa password1 ciao juventus amoremio francesca alessandro napoli senha brasil flamengo corinthians gabriel"
    " amor eutequiero mudar wachtwoord welkom geheim feyenoord hasło qwerty123 polska misiek kochanie пароль йцукен"
    " любовь привет"
)
"""Passwords that are common in German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian."""
_KINDS: Mapping[str, str] = {
    "repeat": "repeat", "sequence": "sequence", "spatial": "keyboard", "date": "date", "regex": "year",
    "bruteforce": "random",
}  # fmt: skip
_RATES = {"online_limited": 100 / 3600, "online": 10.0, "offline_slow_hash": 1e4, "offline_fast_hash": 1e10}
_LONGEST = 100


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
)
def password_estimate_strength(
    password: Annotated[str, About("The password", "Tr0ub4dor&3", min_length=1, max_length=_LONGEST)],
    user_words: Annotated[
        list[Annotated[str, About("Word", "anna", min_length=2, max_length=100)]] | None,
        About("What an attacker may know: names, company, birthday", ["anna"], max_items=50),
    ] = None,
) -> Strength:
    """Estimate how many guesses a password withstands, from words, names, keyboard runs, dates and repetitions in it.

    Use it to judge a password. Returns a score from 0 to 4, the time to crack it, what it is made of, and advice.
    """
    known = [word.casefold() for word in user_words or []]
    estimate = _estimate(password, known)
    log10 = max(float(estimate["guesses_log10"]), 0.0)
    # zxcvbn knows no blanks between words. An attacker tries words without any, and then with a few signs between.
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
    """A match of zxcvbn, whose end is its last character."""
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
