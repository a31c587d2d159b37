"""Laws of place codes and map tiles: the area of a code holds the point that it was made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.geo.coordinates import coordinates_convert_notation
from retinue_tools.geo.location_codes import Code, location_decode_code, location_encode_code
from retinue_tools.geo.web_maps import tile_describe_bounds, tile_find_at_point

LATITUDES, LONGITUDES = st.floats(-89.9, 89.9), st.floats(-179.9, 179.9)
LENGTHS: dict[Code, st.SearchStrategy[int]] = {
    "geohash": st.integers(1, 12),
    "plus_code": st.sampled_from([4, 6, 8, 10, 11, 12, 13]),
    "maidenhead": st.sampled_from([2, 4, 6, 8, 10]),
}


@pytest.mark.parametrize("system", LENGTHS)
@given(latitude=LATITUDES, longitude=LONGITUDES, chosen=st.data())
def test_the_area_of_a_code_holds_its_point(
    system: Code, latitude: float, longitude: float, chosen: st.DataObject
) -> None:
    made = location_encode_code(latitude, longitude, system, chosen.draw(LENGTHS[system]))
    area = location_decode_code(made["code"], system)
    assert area["south"] - 1e-9 <= latitude <= area["north"] + 1e-9
    assert area["west"] - 1e-9 <= longitude <= area["east"] + 1e-9


@given(st.floats(-85, 85), LONGITUDES, st.integers(1, 24))
def test_a_tile_holds_its_point_and_its_quadkey_names_it(latitude: float, longitude: float, zoom: int) -> None:
    tile = tile_find_at_point(latitude, longitude, zoom)
    assert tile["south"] - 1e-9 <= latitude <= tile["north"] + 1e-9
    assert tile["west"] - 1e-9 <= longitude <= tile["east"] + 1e-9
    assert tile_describe_bounds(tile["quadkey"])["tile"] == tile_describe_bounds(tile["tile"])["tile"] == tile["tile"]


@pytest.mark.parametrize("notation", ["decimal", "dms", "ddm"])
@given(latitude=LATITUDES, longitude=LONGITUDES)
def test_every_notation_reads_back(notation: str, latitude: float, longitude: float) -> None:
    written = coordinates_convert_notation(f"{latitude:.7f}, {longitude:.7f}")
    texts = {"decimal": written["decimal"], "dms": written["dms"], "ddm": written["ddm"]}
    read = coordinates_convert_notation(texts[notation])
    assert read["latitude"] == pytest.approx(latitude, abs=1e-5)
    assert read["longitude"] == pytest.approx(longitude, abs=1e-5)
