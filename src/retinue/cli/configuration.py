"""Read the settings. They are imported here, because commands that only call a server need none."""

from typing import TYPE_CHECKING

from retinue.core.errors import RetinueError

if TYPE_CHECKING:
    from retinue.settings import Settings


class SettingsInvalid(RetinueError):
    """A setting has an invalid value, or the settings file cannot be used. The message has a line for each problem."""


def load_settings() -> "Settings":
    """Return the settings of the environment and the file. Raises `SettingsInvalid`."""
    from pydantic import ValidationError

    from retinue.settings import Settings, SettingsFileInvalid

    try:
        return Settings()
    except SettingsFileInvalid as error:
        raise SettingsInvalid(str(error)) from error
    except ValidationError as error:
        raise SettingsInvalid("\n".join(_line(e["loc"], e["msg"]) for e in error.errors())) from error


def _line(place: tuple[int | str, ...], message: str) -> str:
    """Return a line for one error. An error of several settings together has no place; its message names them."""
    message = message.removeprefix("Value error, ")
    if not place:
        return message
    name = str(place[0])
    return f"{name if name.isupper() else f'RETINUE_{name.upper()}'}: {message}"
