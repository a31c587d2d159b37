"""Privacy: pseudonymisation of tables, and synthetic tables."""

import hashlib
import hmac
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, NotRequired

from faker import Faker
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote, workspace
from retinue_tools.data_analysis._tables import (
    Column,
    Rows,
    Seed,
    Table,
    TableFile,
    columns,
    open_table,
    records,
    table,
    table_tool,
)

_MOST_ROWS = 10_000
_KEY_EXAMPLE = "a long secret phrase"


@tool(
    tags="anonymize pseudonymize mask hash personal data gdpr privacy fake names emails",
    use_when=(
        "Anonymise the names and emails in this CSV",
        "Replace the customer ids by hashes, the same id always by the same hash",
        "Mask the card numbers but the last four digits",
    ),
    examples=(
        Example(
            {
                "columns": ["m"],
                "method": "hash",
                "secret": "Jefe",
                "rows": [{"m": "what do ya want for nothing?", "n": 1}],
            },
            {"rows": [{"m": "5bdcc146bf60754e", "n": 1}]},
            source="RFC 4231, test case 2 (HMAC-SHA-256), the first 16 digits",
        ),
        Example(
            {"columns": ["c"], "method": "mask", "rows": [{"c": "4111111111111111"}, {"c": None}]},
            {"rows": [{"c": "************1111"}, {"c": None}]},
            source="by hand",
        ),
        Example(
            {"columns": ["c"], "method": "remove", "rows": [{"c": "x", "d": 1}]}, {"rows": [{"d": 1}]}, source="by hand"
        ),
        Refusal({"columns": ["c"], "method": "hash", "rows": [{"c": "x"}]}, "secret"),
    ),
    reply={
        "file, rows": (
            "The columns {args.columns} are anonymised in {row_count|row}; the "
            "whole table is in {file}. The first ones: {rows}"
        ),
        "rows": "The table with {args.columns} anonymised: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_anonymize(
    columns: Annotated[list[Column], About("Columns to anonymise", ["name", "email"], min_items=1, max_items=100)],
    method: Annotated[
        Literal["hash", "mask", "number", "fake_name", "fake_email", "fake_company", "fake_city", "remove"],
        About(
            "Keyed hash, asterisks except for the last four characters, running number, fake value, or removal of "
            "the column"
        ),
    ] = "number",
    secret: Annotated[
        str,
        About(
            "Key of the hash; with the same key, equal values get equal hashes in all files",
            _KEY_EXAMPLE,
            max_length=200,
        ),
    ] = "",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Pseudonymise columns consistently: equal values get equal pseudonyms, so that joins and counts still work.

    Use it before sharing data. Hashes are HMAC-SHA-256 with your secret, truncated to 16 hexadecimal digits. The limit
    is 10,000 rows, except for removing columns. Returns the table.
    """
    relation = open_table(file, rows)
    chosen = _find_known(relation, columns)
    if method == "remove":
        remaining = [name for name in relation.columns if name not in chosen]
        if not remaining:
            raise ToolError("No column would be left.")
        return table(relation.project(", ".join(map(quote, remaining))), "anonymous.csv")
    if method == "hash" and not secret:
        raise ToolError("Give a secret: hashes without one can be guessed.")
    lines = records(relation.limit(_MOST_ROWS + 1))
    if len(lines) > _MOST_ROWS:
        raise ToolError(
            f"At most {_MOST_ROWS:,} rows can be pseudonymised. Send parts with the method hash and one secret."
        )
    for name in chosen:
        pseudonym = _pseudonyms(method, secret, name)
        for line in lines:
            line[name] = None if line[name] is None else pseudonym(str(line[name]))
    return (
        table(workspace({"data": (None, lines)}).table("data"), "anonymous.csv")
        if lines
        else table(relation, "anonymous.csv")
    )


def _pseudonyms(method: str, secret: str, name: str) -> Callable[[str], str]:
    """Return a function that gives the same pseudonym for the same text."""
    known: dict[str, str] = {}
    fake = Faker()
    fake.seed_instance(f"{secret}{name}")
    makers = {"fake_name": "name", "fake_email": "ascii_safe_email", "fake_company": "company", "fake_city": "city"}

    def new(text: str) -> str:
        if method == "hash":
            return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()[:16]
        if method == "mask":
            return "*" * max(len(text) - 4, min(len(text), 4)) + text[4:][-4:]
        return f"{name}_{len(known) + 1}" if method == "number" else str(getattr(fake, makers[method])())

    def pseudonym(text: str) -> str:
        if text not in known:
            known[text] = new(text)
        return known[text]

    return pseudonym


class Field(TypedDict):
    """A column to generate."""

    name: Annotated[str, About("Name of the column", "email", min_length=1, max_length=100)]
    kind: Annotated[
        Literal[
            "id",
            "uuid",
            "integer",
            "number",
            "boolean",
            "choice",
            "name",
            "email",
            "phone",
            "company",
            "job",
            "street",
            "city",
            "country",
            "date",
            "datetime",
            "sentence",
        ],
        About("Kind of its values"),
    ]
    minimum: NotRequired[Annotated[float, About("Smallest integer or number", 0, minimum=-1e12, maximum=1e12)]]
    maximum: NotRequired[Annotated[float, About("Largest integer or number", 100, minimum=-1e12, maximum=1e12)]]
    choices: NotRequired[
        Annotated[list[str], About("Values for the kind choice", ["red", "blue"], min_items=1, max_items=100)]
    ]
    missing_percent: NotRequired[Annotated[float, About("Share of empty values", 5, minimum=0, maximum=100)]]


@tool(
    tags="synthetic fake test data generate table mock sample rows faker",
    use_when=(
        "Generate 100 fake customers with name, email and city",
        "Make test data with an id, a price between 5 and 50 and a date",
        "I need a mock table for a demo",
    ),
    examples=(
        Example(
            {
                "fields": [
                    {"name": "id", "kind": "id"},
                    {"name": "c", "kind": "choice", "choices": ["x"]},
                    {"name": "n", "kind": "integer", "minimum": 3, "maximum": 3},
                ],
                "count": 2,
            },
            {"rows": [{"id": 1, "c": "x", "n": 3}, {"id": 2, "c": "x", "n": 3}], "row_count": 2},
            source="nothing is left to chance in it",
        ),
        Example(
            {"fields": [{"name": "mail", "kind": "email", "missing_percent": 100}], "count": 3, "seed": 5},
            {"rows": [{"mail": None}] * 3},
            source="all are missing",
        ),
        Refusal({"fields": [{"name": "c", "kind": "choice"}], "count": 1}, "choices"),
        Refusal({"fields": [{"name": "n", "kind": "number", "minimum": 5, "maximum": 1}], "count": 1}, "minimum"),
    ),
    reply={
        "file, rows": "I made up {row_count|row}; all are in {file}. The first ones: {rows}",
        "": "I made up {row_count|row}: {rows}",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_generate_synthetic(
    fields: Annotated[
        list[Field], About("Columns of the table", [{"name": "email", "kind": "email"}], min_items=1, max_items=50)
    ],
    count: Annotated[int, About("Number of rows", 100, minimum=1, maximum=5000)],
    locale: Annotated[
        Literal["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT"],
        About("Language and country of names and addresses"),
    ] = "en_US",
    seed: Seed = 0,
) -> Table:
    """Generate a table of synthetic (made-up) but plausible rows: people, companies, places, numbers, dates and
    choices.

    Use it for tests, demos and templates. The same seed produces the same table. Returns the rows, and a CSV file if
    there are more than a hundred.
    """
    for field in fields:
        if field["kind"] == "choice" and "choices" not in field:
            raise ToolError(f"The column {field['name']} needs choices.")
        if field.get("minimum", 0) > field.get("maximum", max(100, field.get("minimum", 0))):
            raise ToolError(f"The column {field['name']} has a minimum above its maximum.")
    fake = _faker(locale)
    fake.seed_instance(seed)
    lines = [{field["name"]: _make(fake, field, number) for field in fields} for number in range(1, count + 1)]
    return table(workspace({"data": (None, lines)}).table("data"), "synthetic.csv")


def _make(fake: Any, field: Field, number: int) -> Any:
    """Generate one value of a column."""
    if fake.random.random() * 100 < field.get("missing_percent", 0):
        return None
    low, random = field.get("minimum", 0), fake.random
    high = field.get("maximum", max(100, low))
    makers: dict[str, Callable[[], Any]] = {
        "id": lambda: number,
        "uuid": fake.uuid4,
        "integer": lambda: random.randint(-int(-low // 1), max(-int(-low // 1), int(high // 1))),
        "number": lambda: round(random.uniform(low, high), 4),
        "boolean": lambda: random.random() < 0.5,
        "choice": lambda: random.choice(field["choices"]),
        "email": fake.ascii_safe_email,
        "phone": fake.phone_number,
        "street": fake.street_address,
        "date": lambda: fake.date_between("-3y", "today").isoformat(),
        "datetime": lambda: fake.date_time_between("-3y", "now").isoformat(),
    }
    return makers.get(field["kind"], getattr(fake, field["kind"], fake.word))()


@cache
def _faker(locale: str) -> Any:
    return Faker(locale)


def _find_known(relation: Any, names: list[str]) -> list[str]:
    return columns(relation, names)
