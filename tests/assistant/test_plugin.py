"""The package of the assistant implements the interface that the server names, and is found by its entry point."""

from retinue.models.assistant import AssistantPackage, installed_assistant
from retinue_assistant import plugin


def test_the_entry_point_names_the_plugin() -> None:
    package: AssistantPackage = plugin
    assert installed_assistant() is package
