"""How hard a random password is to guess."""

from math import log2
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_LOWER = _UPPER = 26
_DIGITS, _SYMBOLS = 10, 32
_YEAR_S = 365.25 * 86_400


class PasswordEntropy(TypedDict):
    """How many random passwords of a kind there are."""

    entropy_bits: float
    combinations: Annotated[str, About("How many there are")]
    alphabet: Annotated[int, About("How many characters, or words, each place may have")]
    seconds_to_try_all: Annotated[float | None, About("At the given guesses a second")]
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
)
def password_compute_entropy(
    length: Annotated[int, About("Characters, or words of a passphrase", 14, minimum=1, maximum=10_000)],
    alphabet: Annotated[
        int | None, About("How many characters or words there are to draw from", 7776, minimum=2, maximum=10**9)
    ] = None,
    lower: Annotated[bool, About("26 lower-case letters")] = False,
    upper: Annotated[bool, About("26 upper-case letters")] = False,
    digits: Annotated[bool, About("10 digits")] = False,
    symbols: Annotated[bool, About("32 punctuation marks of ASCII")] = False,
    guesses_per_second: Annotated[
        float | None, About("Guesses a second of an attacker", 1e10, minimum=1e-30, maximum=1e30)
    ] = None,
) -> PasswordEntropy:
    """Compute the entropy of random passwords of a length and an alphabet, how many there are, and the time to try all.

    Use it for policies. For one certain password use password_estimate_strength.
    """
    size = alphabet or lower * _LOWER + upper * _UPPER + digits * _DIGITS + symbols * _SYMBOLS
    if not size:
        raise ToolError("Give alphabet, or which kinds of characters: lower, upper, digits, symbols.")
    seconds = guesses_per_second and 2 ** min(length * log2(size), 1000) / guesses_per_second
    return {
        "entropy_bits": tidy(length * log2(size)),
        "combinations": str(size**length) if length * log2(size) < 1000 else f"2^{length * log2(size):.3f}",
        "alphabet": size,
        "seconds_to_try_all": seconds and tidy(seconds),
        "hours_to_try_all": seconds and tidy(seconds / 3600),
        "years_to_try_all": seconds and tidy(seconds / _YEAR_S),
    }
