"""Reads the recipients of a batch from CSV files, in confined workers, and checks whom it can call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.file_access import FileAccess
from retinue.language.error_words import as_sentence
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.pool import ToolPool
from retinue.voice.batches.schemas import MOST_RECIPIENTS
from retinue.voice.calls.destinations import Destination, PhoneNumber, parse_written_destination
from retinue.voice.calls.outbound import Outbound
from retinue.voice.calls.variables import MOST_VARIABLES, check_name, find_missing

_MOST_CHARACTERS = 900_000
_TOO_LONG = f"The list has more than {_MOST_CHARACTERS:,} characters. Split it."
_VALUE_CHARACTERS = 500
ON_LIST = "The number is on your do-not-call list."
_NUMBER_COLUMNS = ("to", "number", "phone", "phone_number")


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A recipient as its list names it. `refused` is why it cannot be called; None if it can."""

    number: int
    to: str
    variables: Mapping[str, str]
    refused: str | None = None


@dataclass(frozen=True)
class RecipientFiles:
    """Reads CSV files. The parser runs in a confined worker."""

    file_access: FileAccess
    pool: ToolPool
    catalogue: Catalogue

    async def read(self, account_id: int, file_id: str) -> list[ListEntry]:
        """Return the recipients in a file of an account. Raises `ValidationFailed`."""
        paths = await self.file_access.paths(account_id, [file_id])
        return await self.parse(account_id, paths[file_id])

    async def parse(self, account_id: int, source: Path | str) -> list[ListEntry]:
        """Return the recipients in a CSV file on this machine's disk, or in its text. Raises `ValidationFailed`."""
        text = await run_on_disk_thread(_text_of, source) if isinstance(source, Path) else source
        if not text.strip():
            raise ValidationFailed("The list is empty. Its first row must be the header, with a column named to.")
        if len(text) > _MOST_CHARACTERS:
            raise ValidationFailed(_TOO_LONG)
        tool = self.catalogue.get("csv_convert_to_json")
        args = {"table": text.replace("\x00", ""), "types": False, "delimiter": "auto"}
        found = await self.pool.execute(tool, args, account=account_id)
        return _recipients_of(found["columns"], found["records"])


def _text_of(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(4 * _MOST_CHARACTERS + 1)
    if len(content) > 4 * _MOST_CHARACTERS:
        raise ValidationFailed(_TOO_LONG)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValidationFailed("The file is not text in UTF-8. Save it as CSV UTF-8, and send it again.") from error


def _recipients_of(columns: Sequence[str], records: Sequence[Mapping[str, str]]) -> list[ListEntry]:
    if not records:
        raise ValidationFailed("The list has a header, but no recipients.")
    if len(records) > MOST_RECIPIENTS:
        raise ValidationFailed(f"The list has {len(records):,} recipients; a batch can have {MOST_RECIPIENTS:,}.")
    names = {column: "_".join(column.split()) for column in columns}
    called = next((column for column in columns if names[column].lower() in _NUMBER_COLUMNS), None)
    if called is None:
        raise ValidationFailed(
            f"The list has no column with the numbers. Name it to. Its columns are: {', '.join(columns)[:200]}."
        )
    others = [column for column in columns if column != called]
    if len(others) > MOST_VARIABLES:
        raise ValidationFailed(
            f"The list has {len(others)} further columns; a call can have {MOST_VARIABLES} variables."
        )
    for column in others:
        try:
            check_name(names[column])
        except ValueError as error:
            raise ValidationFailed(f"The column {column[:60]!r} cannot be a variable: these {error}.") from error
    return [
        _row(number, record[called], {names[column]: record[column].strip() for column in others})
        for number, record in enumerate(records, 1)
    ]


def _row(number: int, called: str, variables: Mapping[str, str]) -> ListEntry:
    kept = {name: value[:_VALUE_CHARACTERS] for name, value in variables.items() if value}
    long = next((name for name, value in variables.items() if len(value) > _VALUE_CHARACTERS), None)
    refused = f"The value of {long} has more than {_VALUE_CHARACTERS} characters." if long else None
    return ListEntry(number, called.strip()[:255], kept, refused)


def find_destinations(
    recipients: Sequence[ListEntry], country: str | None
) -> tuple[dict[int, Destination], dict[int, str]]:
    """Return the destinations of recipients, and why others have none, by the numbers of the recipients.

    `country` is that of numbers without a country code.
    """
    found: dict[int, Destination] = {}
    invalid: dict[int, str] = {}
    for one in recipients:
        try:
            found[one.number] = parse_written_destination(one.to, country)
        except ValidationFailed as error:
            invalid[one.number] = as_sentence(error.message)
    return found, invalid


@dataclass(frozen=True, slots=True)
class Screening:
    """What decides whether a recipient can be called. Without `outbound`, no call really goes out."""

    destinations: Mapping[int, Destination]
    invalid: Mapping[int, str]
    listed: set[Destination]
    greeting: str
    outbound: Outbound | None

    def check(self, recipients: Sequence[ListEntry]) -> list[ListEntry]:
        """Return the recipients with their numbers in E.164 form, and the reasons why some cannot be called."""
        seen: dict[Destination, int] = {}
        checked = []
        for one in recipients:
            refused, destination = one.refused or self._refuse(one, seen), self.destinations.get(one.number)
            to = destination.plain if isinstance(destination, PhoneNumber) else one.to
            checked.append(ListEntry(one.number, to, one.variables, refused))
        return checked

    def _refuse(self, one: ListEntry, seen: dict[Destination, int]) -> str | None:
        destination = self.destinations.get(one.number)
        if destination is None:
            return self.invalid[one.number]
        if (first := seen.setdefault(destination, one.number)) != one.number:
            return f"Recipient {first} has the same number."
        if destination in self.listed:
            return ON_LIST
        if missing := find_missing(self.greeting, one.variables):
            return f"The greeting needs values that this recipient does not have: {', '.join(missing)}."
        try:
            if self.outbound:
                self.outbound.check(destination)
        except RetinueError as error:
            return error.message.removeprefix("to: ")
        return None
