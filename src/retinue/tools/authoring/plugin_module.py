"""A module by another author."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PluginModule:
    """A module with tools. `source` is the text of a file in `tools.d`; packages are imported by their name."""

    name: str
    origin: str
    """The file, or the package with its version, for messages."""
    source: str = ""
