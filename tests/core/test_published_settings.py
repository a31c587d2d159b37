"""The settings have the recorded names, defaults and bounds: operators rely on them."""

from retinue.settings import Settings
from tests.core.published_settings import SNAPSHOT, setting_lines


def test_settings_are_those_on_record() -> None:
    difference = SNAPSHOT.difference(setting_lines())
    assert not difference, difference
    assert len(setting_lines()) == len(Settings.model_fields)
