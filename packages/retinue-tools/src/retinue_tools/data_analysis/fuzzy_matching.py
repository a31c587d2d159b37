"""Tables joined and grouped by texts that are spelled differently."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from rapidfuzz import fuzz, process, utils

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote, workspace
from retinue_tools.data_analysis._tables import (
    OtherFile,
    OtherRows,
    Rows,
    Table,
    TableFile,
    both,
    column,
    open_table,
    table,
    table_tool,
)

_MOST_PAIRS = 4_000_000

Score = Annotated[float, About("Minimum similarity that counts as a match, 0 to 100", 85, minimum=30, maximum=100)]
Method = Annotated[
    Literal["words", "letters", "part"],
    About("Compare regardless of word order, letter by letter, or one text as a part of the other"),
]


@tool(
    tags="fuzzy join match names similar spelling typo dedupe record linkage lookup",
    use_when=(
        "Match company names of two lists that are spelled differently",
        "Join these tables by name although there are typos",
        "Find for each customer the most similar name in the other file",
    ),
    examples=(
        Example(
            {
                "column": "name",
                "rows": [{"name": "Meyer, Anna"}, {"name": "Bob Stone"}],
                "other_rows": [{"name": "ANNA MEYER", "id": 7}, {"name": "Carl Reed", "id": 8}],
            },
            {
                "rows": [
                    {"name": "Meyer, Anna", "score": 100.0, "name_other": "ANNA MEYER", "id": 7},
                    {"name": "Bob Stone", "score": None, "name_other": None, "id": None},
                ]
            },
            source="the same words in another order, case and punctuation aside",
        ),
        Example(
            {
                "column": "city",
                "method": "letters",
                "minimum_score": 70,
                "rows": [{"city": "kitten"}],
                "other_rows": [{"city": "kittens"}, {"city": "dog"}],
            },
            {"rows": [{"city": "kitten", "score": 1200 / 13, "city_other": "kittens"}]},
            source="1 - 1 insertion / 13 letters of both, the normalised indel similarity, times 100",
        ),
        Refusal({"column": "name", "rows": [{"name": "a"}], "other_rows": [{"b": 1}]}, "no column name"),
    ),
    reply={
        "file, rows": "The joined table has {row_count|row}; all are in {file}. The first ones: {rows}",
        "rows": "The joined table: {rows}",
        "": "No rows are alike.",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_join_fuzzy(
    column: Annotated[str, About("Column with the text to match", "name", min_length=1, max_length=200)],
    other_column: Annotated[
        str | None, About("Name of the column in the second table, if it differs", "company", max_length=200)
    ] = None,
    minimum_score: Score = 85,
    method: Method = "words",
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> Table:
    """Join each row of a table with the row of another whose text is most similar (alike), tolerating typos and word
    order.

    Use it for names, addresses or products without a common key. Returns the first table with the similarity (score, 0
    to 100) and the columns of the best match, or nulls if none is similar enough.
    """
    connection, first, second = both((file, rows), (other_file, other_rows))
    left, right = _name_of(first, column), _name_of(second, other_column or column)
    texts, choices = _texts(first, left), _texts(second, right)
    if len(texts) * len(choices) > _MOST_PAIRS:
        raise ToolError(f"That would be more than {_MOST_PAIRS:,} comparisons. Send fewer rows.")
    scorer = _scorer(method)
    best = {
        text: process.extractOne(text, choices, scorer=scorer, score_cutoff=minimum_score)
        for text in dict.fromkeys(texts)
    }
    matched = [
        {"l": number, "r": found[2] + 1, "score": float(found[1])}
        for number, text in enumerate(texts, 1)
        if text and (found := best[text])
    ]
    taken = {name.casefold() for name in (*first.columns, "score")}
    parts = [f"l.{quote(name)}" for name in first.columns] + ["m.s AS score"]
    parts += [
        f"r.{quote(name)} AS {quote(f'{name}_other' if name.casefold() in taken else name)}" for name in second.columns
    ]
    pairs = ", ".join(
        f"({pair['l']}, {pair['r']}, {pair['score']!r})" for pair in [{"l": 0, "r": 0, "score": 0.0}, *matched]
    )
    sources = "(FROM data SELECT *, row_number() OVER () AS l_row) l"
    matches = f"LEFT JOIN (VALUES {pairs}) m(a, b, s) ON m.a = l.l_row"
    others = "LEFT JOIN (FROM other SELECT *, row_number() OVER () AS r_row) r ON r.r_row = m.b"
    return table(
        connection.sql(f"FROM {sources} {matches} {others} SELECT {', '.join(parts)} ORDER BY l_row"), "matched.csv"
    )


class Clusters(Table):
    """Groups of similar texts."""

    groups: Annotated[int, About("Number of groups with more than one spelling")]


@tool(
    tags="fuzzy group cluster similar values spelling variants clean standardise categories duplicates",
    use_when=(
        "Which spellings of the same company are in this column?",
        "Unify the city names that were typed differently",
        "Find near duplicates among the product names",
    ),
    examples=(
        Example(
            {"column": "c", "rows": [{"c": "Acme Ltd"}, {"c": "ACME Ltd."}, {"c": "Acme Ltd"}, {"c": "Zenith"}]},
            {
                "rows": [
                    {"value": "Acme Ltd", "rows": 2, "group": "Acme Ltd", "score": 100.0},
                    {"value": "ACME Ltd.", "rows": 1, "group": "Acme Ltd", "score": 100.0},
                    {"value": "Zenith", "rows": 1, "group": "Zenith", "score": 100.0},
                ],
                "groups": 1,
            },
            source="the same words, case and punctuation aside; the commonest spelling leads",
        ),
        Example(
            {"column": "c", "minimum_score": 100, "rows": [{"c": "abc"}, {"c": "abd"}]},
            {"groups": 0},
            source="they differ",
        ),
        Refusal({"column": "d", "rows": [{"c": "abc"}]}, "no column d"),
    ),
    reply={
        "groups, rows": "{groups|group} with more than one spelling: {rows}",
        "": "All values are spelled consistently.",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_group_similar(
    column: Annotated[str, About("Column with the text to group", "company", min_length=1, max_length=200)],
    minimum_score: Score = 85,
    method: Method = "words",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Clusters:
    """Group the values of a text column that are spelled alike, and propose the most common spelling for each group.

    Use it to clean categories and names typed by hand. Returns each value with its number of rows, its group and its
    similarity to it.
    """
    relation = open_table(file, rows)
    name = quote(_name_of(relation, column))
    counted = relation.filter(f"{name} IS NOT NULL").aggregate(f"{name}::VARCHAR AS v, count(*) AS n", f"{name}")
    found = counted.order("n DESC, v DESC").fetchall()
    if len(found) ** 2 > _MOST_PAIRS * 2:
        raise ToolError("The column has too many different values to compare. Filter it first.")
    leaders: list[str] = []
    lines = []
    for text, count in found:
        prepared = utils.default_process(text)
        best = process.extractOne(
            prepared, leaders, scorer=_scorer(method), processor=utils.default_process, score_cutoff=minimum_score
        )
        if best is None:
            leaders.append(text)
        lines.append(
            {
                "value": text,
                "rows": count,
                "group": best[0] if best else text,
                "score": float(best[1]) if best else 100.0,
            }
        )
    sizes = [line["group"] for line in lines]
    order = {leader: place for place, leader in enumerate(leaders)}
    lines.sort(key=lambda line: order[line["group"]])
    if not lines:
        raise ToolError("The column is empty.")
    result = table(workspace({"data": (None, lines)}).table("data"), "groups.csv")
    return {**result, "groups": sum(sizes.count(leader) > 1 for leader in leaders)}


def _name_of(relation: Any, name: str) -> str:
    return column(relation, name)


def _texts(relation: Any, name: str) -> Sequence[str]:
    """Return the texts of a column without case and punctuation; missing values become empty."""
    return [utils.default_process(text or "") for (text,) in relation.project(f"{quote(name)}::VARCHAR").fetchall()]


def _scorer(method: str) -> Callable[..., float]:
    scorers: dict[str, Callable[..., float]] = {
        "words": fuzz.token_sort_ratio,
        "letters": fuzz.ratio,
        "part": fuzz.partial_ratio,
    }
    return scorers[method]
