"""Random samples of rows."""

from typing import Annotated, Any

from retinue.sdk import About, Example, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import (
    Noted,
    Rows,
    Seed,
    Table,
    TableFile,
    column,
    column_list,
    csv_of,
    fresh,
    open_table,
    records,
    table,
    table_tool,
    value,
)

_PEOPLE = [{"id": number, "group": "a" if number < 8 else "b"} for number in range(10)]


@tool(
    tags="table sample random rows stratified subset draw pick",
    use_when=(
        "Give me 20 random rows of this file",
        "Draw 5 customers at random from each country",
        "Pick a repeatable random sample of the survey",
    ),
    examples=(
        Example({"rows": _PEOPLE, "count": 3, "seed": 1}, {"row_count": 3}, source="as many as asked for"),
        Example({"rows": _PEOPLE, "count": 2, "by": "group"}, {"row_count": 4}, source="two of each of two groups"),
        Example({"rows": _PEOPLE, "count": 100}, {"rows": _PEOPLE}, source="all there are, in their order"),
        Refusal({"rows": _PEOPLE, "count": 2, "by": "sex"}, "no column sex"),
    ),
    reply={
        "file, rows": "The sample of {row_count|row} is in {file}. The first ones: {rows}",
        "rows": "The sample of {row_count|row}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_sample_rows(
    count: Annotated[int, About("Number of rows to draw; with by, from each group", 20, minimum=1, maximum=1_000_000)],
    by: Annotated[str | None, About("Column with the groups", "country", max_length=200)] = None,
    seed: Seed = 0,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Draw a random sample of rows without repetition, from the whole table or from each group of a column.

    Use it to look at a large file or to balance groups. The same seed draws the same rows, which keep their order.
    Returns the sample.
    """
    relation = open_table(file, rows)
    shuffled, position, place = _shuffle(relation, by, seed)
    drawn = shuffled.filter(f"{quote(place)} <= {count}").order(quote(position))
    return table(drawn.project(column_list(relation.columns)), "sample.csv")


class Split(Noted):
    """A table split in two."""

    train_count: Annotated[int, About("Number of training rows")]
    test_count: Annotated[int, About("Number of test rows")]
    train_rows: Annotated[list[dict[str, Any]], About("First ten training rows")]
    test_rows: Annotated[list[dict[str, Any]], About("First ten test rows")]
    train_file: Annotated[OutputFile, About("CSV file with all training rows")]
    test_file: Annotated[OutputFile, About("CSV file with all test rows")]


@tool(
    tags="table split train test validation holdout machine learning random stratified",
    use_when=(
        "Split this dataset 80/20 into train and test",
        "Hold out 25 % of the rows for testing, with equal class shares",
        "Make a train and a test file from my CSV",
    ),
    examples=(
        Example(
            {"rows": _PEOPLE, "test_percent": 20},
            {"train_count": 8, "test_count": 2, "train_file": "train.csv", "test_file": "test.csv"},
            source="20 % of 10",
        ),
        Example(
            {"rows": _PEOPLE, "test_percent": 50, "by": "group", "seed": 7},
            {"train_count": 5, "test_count": 5},
            source="half of 8 and half of 2",
        ),
        Refusal({"rows": _PEOPLE[:1], "test_percent": 20}, "two rows"),
    ),
    reply=("{train_count|row} to train with are in {train_file}, and {test_count|row} to test with in: {test_file}"),
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_split_train_test(
    test_percent: Annotated[float, About("Share of test rows, in percent", 20, minimum=1, maximum=99)] = 20,
    by: Annotated[str | None, About("Column to stratify by", "label", max_length=200)] = None,
    seed: Seed = 0,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Split:
    """Split the rows of a table at random into a part to train with and a part to test with.

    Use it before fitting a model. With a column to stratify by, each of its values is split in the same proportion.
    Returns two files, their numbers of rows and the first rows of each.
    """
    relation = open_table(file, rows)
    shuffled, position, place = _shuffle(relation, by, seed)
    window = f"PARTITION BY {quote(column(relation, by))}" if by else ""
    quota = f"greatest(1, round(count(*) OVER ({window}) * {test_percent / 100}))"
    chosen = fresh(shuffled, "test")
    marked = shuffled.project(f"*, {quote(place)} <= {quota} AS {quote(chosen)}").order(quote(position))
    stored = marked.materialize()
    train, test = (
        stored.filter(f"{sign}{quote(chosen)}").project(column_list(relation.columns)) for sign in ("NOT ", "")
    )
    counts = value(train, "count(*)"), value(test, "count(*)")
    if not all(counts):
        raise ToolError("One part would be empty. A table needs at least two rows, and two in a group.")
    return {
        "train_count": counts[0],
        "test_count": counts[1],
        "train_rows": records(train.limit(10)),
        "test_rows": records(test.limit(10)),
        "train_file": save("train.csv", csv_of(train).encode()),
        "test_file": save("test.csv", csv_of(test).encode()),
    }


def _shuffle(relation: Any, by: str | None, seed: int) -> tuple[Any, str, str]:
    """Add each row's position, and its place in a random order of its group, in two columns.

    The order is that of a digest of position and seed, so that it is the same on all machines.
    """
    position, place = fresh(relation, "position"), fresh(relation, "place")
    counted = relation.project(f"*, row_number() OVER () AS {quote(position)}")
    group = f"PARTITION BY {quote(column(relation, by))}" if by else ""
    order = f"ORDER BY md5(concat({quote(position)}, ':{seed}'))"
    return counted.project(f"*, row_number() OVER ({group} {order}) AS {quote(place)}"), position, place
