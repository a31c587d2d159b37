"""Electron configurations of free atoms: Madelung's rule and its known exceptions."""

from collections.abc import Mapping
from dataclasses import dataclass

_ORBITALS = "spdf"
_CAPACITY: Mapping[str, int] = {"s": 2, "p": 6, "d": 10, "f": 14}
_NOBLE: Mapping[int, str] = {2: "He", 10: "Ne", 18: "Ar", 36: "Kr", 54: "Xe", 86: "Rn"}

_EXCEPTIONS: Mapping[int, str] = {
    24: "3d5 4s1", 29: "3d10 4s1", 41: "4d4 5s1", 42: "4d5 5s1", 44: "4d7 5s1", 45: "4d8 5s1", 46: "4d10 5s0",
    47: "4d10 5s1", 57: "4f0 5d1", 58: "4f1 5d1", 64: "4f7 5d1", 78: "5d9 6s1", 79: "5d10 6s1", 89: "5f0 6d1",
    90: "5f0 6d2", 91: "5f2 6d1", 92: "5f3 6d1", 93: "5f4 6d1", 96: "5f7 6d1", 103: "6d0 7p1",
}  # fmt: skip
"""Deviations from the rule, by atomic number (NIST, ground levels of neutral atoms)."""


@dataclass(frozen=True, slots=True)
class Electrons:
    """Electron configuration of an atom, and its position in the periodic table."""

    full: str
    short: str
    shells: list[int]
    group: int | None
    period: int


def electrons_of(number: int) -> Electrons:
    """Return the ground state of the neutral atom with this many electrons."""
    counts = _counts(number)
    core = max((noble for noble in _NOBLE if noble < number), default=0)
    inner = _counts(core)
    outer = {orbital: count for orbital, count in counts.items() if orbital not in inner}
    prefix = f"[{_NOBLE[core]}] " if core else ""
    top = max(int(orbital[0]) for orbital in counts)
    return Electrons(
        full=_render(counts),
        short=prefix + _render(outer),
        shells=[
            sum(count for orbital, count in counts.items() if int(orbital[0]) == shell) for shell in range(1, top + 1)
        ],
        group=_group(number),
        period=_period(number),
    )


def _counts(number: int) -> dict[str, int]:
    """Return the number of electrons in each occupied orbital."""
    counts: dict[str, int] = {}
    for orbital in _in_order():
        counts[orbital] = min(_CAPACITY[orbital[1]], number - sum(counts.values()))
    for part in _EXCEPTIONS.get(number, "").split():
        counts[part[:2]] = int(part[2:])
    return {orbital: count for orbital, count in counts.items() if count}


def _in_order() -> list[str]:
    """Return orbitals in filling order: by n + l, then by n (Madelung)."""
    orbitals = [(shell + kind, shell, _ORBITALS[kind]) for shell in range(1, 8) for kind in range(min(shell, 4))]
    return [f"{shell}{letter}" for _, shell, letter in sorted(orbitals)]


def _render(counts: Mapping[str, int]) -> str:
    """Format orbitals by shell, as printed in tables."""
    ordered = sorted(counts, key=lambda orbital: (orbital[0], _ORBITALS.index(orbital[1])))
    return " ".join(f"{orbital}{counts[orbital]}" for orbital in ordered)


def _period(number: int) -> int:
    return 1 + sum(noble < number for noble in _NOBLE)


def _group(number: int) -> int | None:
    """Return the group (IUPAC): the d block begins in group 3 after the f block, the p block in group 13."""
    if number <= 2:
        return 1 if number == 1 else 18
    start = max(noble for noble in _NOBLE if noble < number)
    place, length = number - start, min(noble for noble in (*_NOBLE, 118) if noble >= number) - start
    if place <= 2:
        return place
    if length == 32 and place <= 16:
        return None
    return 18 - (length - place)
