"""Argument types that tools share. Each describes itself with an example and has a size limit."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.tools.authoring.declare import About

Text = Annotated[str, About("Text to work on", "The quick brown fox jumps over the lazy dog.", max_length=500_000)]
File = Annotated[
    str,
    About(
        "Id of an uploaded file",
        "file_01k9z4m2n8q6r5t3v7w1x0y2za",
        pattern=r"^file_[0-9a-z]{26}$",
        max_length=31,
        format="file-id",
    ),
]
"""The file is in the tool's working folder under its id: `Path(file)` opens it."""

OutputFile = Annotated[
    str, About("Id of the file that was made: GET /api/v1/files/{id}/content fetches it", format="file-id")
]
"""In a result: the return value of `retinue.tools.authoring.output_file_api.save`."""

NumberList = Annotated[list[float], About("List of numbers", [2, 4, 4, 4, 5, 5, 7, 9], min_items=1, max_items=100_000)]
BoundedNumber = Annotated[float, About("Number", 5, minimum=-1e15, maximum=1e15)]
PositiveNumber = Annotated[float, About("Number above 0", 5, minimum=1e-30, maximum=1e15)]
"""A number in a list, within limits that keep sums and quotients finite."""
Count = Annotated[int, About("How many to make", 5, minimum=1, maximum=1000)]
Date = Annotated[
    str, About("Calendar date as YYYY-MM-DD", "2026-11-21", pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", max_length=10)
]
DateTime = Annotated[str, About("Date and time in ISO 8601", "2026-03-29T12:00", max_length=40)]
TimeZone = Annotated[
    str, About("IANA time zone, city, or offset such as UTC+2", "Europe/Berlin", min_length=1, max_length=64)
]
Cidr = Annotated[
    str,
    About("IPv4 or IPv6 network in CIDR notation, or an address of it", "192.168.0.0/24", min_length=2, max_length=49),
]
Latitude = Annotated[float, About("Latitude in degrees, north positive", 52.52, minimum=-90, maximum=90)]
Longitude = Annotated[float, About("Longitude in degrees, east positive", 13.405, minimum=-180, maximum=180)]
Money = Annotated[float, About("Amount of money", 250_000, exclusive_minimum=0, maximum=1e15)]
Percent = Annotated[float, About("Rate in percent a year, 5.5 for 5.5 %", 5.5, minimum=0, maximum=1000)]


class Connection(TypedDict):
    """A connection of the account, opened for this call. What a tool returns or says is freed of the secret."""

    name: str
    settings: dict[str, Any]
    secret: dict[str, str]


def connection_argument(kind: str, description: str, example: str) -> About:
    """Declares that an argument is a connection of a kind."""
    return About(description, example, connection=kind, pattern="^[a-z][a-z0-9-]*$", max_length=64)


MailConnection = Annotated[
    Connection, connection_argument("mail", "Name of your connection to the mail account", "work-mail")
]
HttpConnection = Annotated[
    Connection,
    connection_argument(
        "http", "Name of your connection to the API: its token, key or password is sent along", "work-api"
    ),
]
