"""Read the settings. They are imported here, because commands that only call a server need none."""

from typing import TYPE_CHECKING

from retinue.core.errors import RetinueError

if TYPE_CHECKING:
    from retinue.settings import Settings


class SettingsInvalid(RetinueError):
    """A variable has an invalid value. The message has a line for each."""


def load_settings() -> "Settings":
    """Return the settings of the environment. Raises `SettingsInvalid`."""
    from pydantic import ValidationError  # noqa: PLC0415 - see above

    from retinue.settings import Settings  # noqa: PLC0415

    try:
        return Settings()
    except ValidationError as error:
        raise SettingsInvalid("\n".join(f"{_variable(e['loc'])}: {e['msg']}" for e in error.errors())) from error


def _variable(place: tuple[int | str, ...]) -> str:
    name = str(place[0])
    return name if name.isupper() else f"RETINUE_{name.upper()}"
