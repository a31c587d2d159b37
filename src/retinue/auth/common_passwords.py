"""Recognize passwords that attackers try first (NIST SP 800-63B, section 5.1.1.2).

`common_passwords.txt` holds the 10,000 commonest passwords of at least four characters, in lower case, from the list of
zxcvbn (MIT). zxcvbn itself can take seconds for one password.
"""

import re
from functools import cache
from importlib.resources import files

_AFFIX = re.compile(r"\A[\W\d_]{1,5}|[\W\d_]{1,5}\Z")
_SUBSTITUTES = str.maketrans("@4301!$57", "aaeoiisst")
_RUNS = ("abcdefghijklmnopqrstuvwxyz", "0123456789" * 3, "qwertyuiop", "asdfghjkl", "zxcvbnm")


def is_common(password: str, email: str) -> bool:
    """Return True for a common password, a repetition, a run such as `abcdefghij`, and parts of the user's address.

    Letter case, substitutes such as `0` for `o`, and up to five digits or signs at either end make no difference.
    """
    text = password.casefold()
    unit = text[: (text * 2).index(text, 1)]
    cores = {_AFFIX.sub("", form) for form in (text, unit)}
    forms = {text, unit, *cores, *(core.translate(_SUBSTITUTES) for core in cores)}
    own = {"retinue", email.casefold(), *email.casefold().split("@")}
    return len(set(text)) <= 3 or not forms.isdisjoint(_common_passwords() | own) or any(map(_is_run, forms))


def _is_run(text: str) -> bool:
    return len(text) > 3 and any(text in run or text[::-1] in run for run in _RUNS)


@cache
def _common_passwords() -> frozenset[str]:
    return frozenset(files("retinue.auth").joinpath("common_passwords.txt").read_text().split())
