"""Read the settings. They are imported here, because commands that only call a server need none."""

from typing import TYPE_CHECKING

from retinue.core.errors import RetinueError

if TYPE_CHECKING:
    from retinue.settings import Settings

_MESSAGES = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float", "int_parsing_size"), "must be a whole number"),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), "must be a number"),
    **dict.fromkeys(("ip_v4_network", "ip_v6_network"), "must be networks such as 10.0.0.0/8,fd00::/8"),
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "tuple_type": "must be a list",
    "too_short": "must not be empty",
    "path_type": "must be a path",
    "path_not_file": "there is no file with this path",
    "path_not_directory": "there is no folder with this path",
}
"""The messages for kinds of errors of Pydantic that its own messages do not describe for an operator."""


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
        lines: dict[str, str] = {}
        for problem in error.errors():  # the first one of each setting, which may have one for each of its items
            place, message = problem["loc"], problem["msg"]
            lines.setdefault(_name(place) or message, _line(place, problem["type"], message))
        raise SettingsInvalid("\n".join(lines.values())) from error


def _line(place: tuple[int | str, ...], kind: str, message: str) -> str:
    """Return a line for one error. An error of several settings together has no place; its message names them."""
    message = _MESSAGES.get(kind, message).removeprefix("Value error, ").replace("Input should be", "must be")
    return f"{_name(place)}: {message}" if place else message


def _name(place: tuple[int | str, ...]) -> str:
    """Return the variable of a setting."""
    name = str(place[0]) if place else ""
    return name if name.isupper() or not name else f"RETINUE_{name.upper()}"
