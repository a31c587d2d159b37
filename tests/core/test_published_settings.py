"""The settings have the recorded names, defaults and bounds: operators rely on them."""

from retinue.settings import Settings
from tests.core.published_settings import SNAPSHOT, published


def test_settings_are_those_on_record() -> None:
    difference = SNAPSHOT.difference(published())
    assert not difference, difference
    assert len(published()) == len(Settings.model_fields)
