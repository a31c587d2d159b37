"""Tiles and packs are counted from their own sizes."""

import pytest

from retinue_tools.math.household_quantities import tiles_count_pieces


@pytest.mark.parametrize(
    ("tile", "pack", "waste", "tiles", "packs"),
    [
        (30, 2.22, 0, 83, 4),
        (30, 2.22, 10, 91, 4),
        (30, None, 0, 83, None),
        (None, 2.22, 0, 4, 4),
        (30, 0.09, 0, 83, 83),
    ],
)
def test_tiles_and_packs(tile: float | None, pack: float | None, waste: float, tiles: int, packs: int | None) -> None:
    found = tiles_count_pieces(2.4, 3.1, tile, pack_m2=pack, waste_percent=waste)
    assert (found["tiles"], found["packs"]) == (tiles, packs)
