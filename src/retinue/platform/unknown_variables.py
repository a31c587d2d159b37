"""Finds misspelt environment variables: they begin with RETINUE_, but nothing reads them."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from retinue.core.errors import Unavailable
from retinue.settings import Settings, variable_of
from retinue.voice.trunks import Trunks

_PREFIX = "RETINUE_"
_OTHERS = frozenset(f"{_PREFIX}{name}" for name in ("URL", "KEY", "API_KEY", "SESSION", "IMAGE", "CRASH_AT"))
"""The variables of commands that call a server, of examples in the reference, of compose.yaml, and of failpoints."""

_OTHER_PREFIXES = (f"{_PREFIX}TEST", f"{_PREFIX}FUZZ_", f"{_PREFIX}HOSTILE", f"{_PREFIX}BENCH_")
"""How variables of the tests and benchmarks begin."""


def unknown_variables(settings: Settings, environment: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each unknown variable, with the nearest setting. Settings ignore the case of variables."""
    known = {f"{_PREFIX}{name.upper()}": variable_of(name) for name in Settings.model_fields}
    read_elsewhere = _OTHERS | _of_trunks(settings)
    for name in sorted(environment):
        upper = name.upper()
        if not upper.startswith(_PREFIX) or upper.startswith(_OTHER_PREFIXES):
            continue
        if name not in read_elsewhere and known.get(upper) != upper:
            near = get_close_matches(upper, known, 1, 0)
            yield f"{name} is not a setting and has no effect. Did you mean {known[near[0]]}?"


def _of_trunks(settings: Settings) -> set[str]:
    """Return the variables with passwords of SIP trunks. The trunks file is checked where it is used."""
    try:
        return {variable for _, variable in Trunks.load(settings.sip_trunks_file).password_variables()}
    except Unavailable:
        return set()
