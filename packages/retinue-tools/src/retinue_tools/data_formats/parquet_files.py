"""Parquet files."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import duckdb
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, output_path, tool
from retinue_tools.data_formats._values import Saved, Table, dump, plain

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_MOST_COLUMNS = 2000
_ROWS = [{"id": 1, "name": "Tea"}, {"id": 2, "name": None}]
_SMALL = (
    "UEFSMRUAFWoVaiwVBhUAFQYVBgAAIQAAAEEDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAcAAAAAAAAA/P////////8V"
    "AhksNQAYDWR1Y2tkYl9zY2hlbWEVAgAVBCUCGAFuJSQAFgYZHBkcJgAcFQQZFQAZGAFuFQAWBhaMARaMASYIPBgIBwAAAAAAAAAY"
    "CPz/////////FgIoCAcAAAAAAAAAGAj8/////////xERABkcFQAVABUCAAAAFowBFgYmCBaMAQAoKER1Y2tEQiB2ZXJzaW9uIHYy"
    "LjAuMCAoYnVpbGQgZDU0Y2JiZTNkZikZHBwAAAC0AAAAUEFSMQ=="
)
"""The values 7, -4 and null of a column n, in Base64."""


class SavedRows(Saved):
    """A table in a file."""

    rows: Annotated[int, About("Number of rows")]
    columns: Annotated[list[str], About("Column names")]


class ParquetColumn(TypedDict):
    """A column of a Parquet file."""

    name: Annotated[str, About("Column name")]
    type: Annotated[str, About("SQL type")]
    nulls: Annotated[int | None, About("Number of null values; null if the file does not contain it")]
    minimum: Annotated[str | None, About("Smallest value according to the file's statistics")]
    maximum: Annotated[str | None, About("Largest value according to the file's statistics")]
    compressed_bytes: Annotated[int, About("Size in the file")]


class ParquetSchema(TypedDict):
    """Metadata of a Parquet file."""

    rows: Annotated[int, About("Number of rows")]
    row_groups: Annotated[int, About("Number of row groups")]
    created_by: Annotated[str, About("Program that wrote it")]
    columns: Annotated[list[ParquetColumn], About("Columns")]
    preview: Annotated[list[dict[str, Any]], About("First 5 rows")]


@tool(
    tags="parquet write json records convert columnar file",
    use_when=(
        "Save these records as a Parquet file",
        "Convert this JSON list to Parquet",
        "Store these 10,000 objects in a compact columnar file",
    ),
    examples=(
        Example(
            {"records": _ROWS},
            {"file": "table.parquet", "rows": 2, "columns": ["id", "name"]},
            source="by hand",
            then=(ExampleCall("parquet_read_schema", {"file": "{made}"}, {"rows": 2, "preview": _ROWS}),),
        ),
        Example({"records": [{"id": 1}], "compression": "gzip"}, {"rows": 1}, source="by hand"),
        Refusal({"records": [{}]}, "no fields"),
    ),
    reply="The Parquet file with {rows|row}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def json_write_parquet(
    records: Table,
    compression: Annotated[
        Literal["zstd", "snappy", "gzip", "uncompressed"], About("Compression of the columns")
    ] = "zstd",
) -> SavedRows:
    """Write a list of JSON objects to a Parquet file, with types inferred from the values.

    Use it to pass tables to data tools. Returns the file, its size, rows and columns.
    """
    if not any(records):
        raise ToolError("The records have no fields, so there are no columns.")
    Path("rows.json").write_text("\n".join(dump(record, None) for record in records))
    path = output_path("table.parquet")
    try:
        with _database() as database:
            rows = database.read_json("rows.json", format="newline_delimited")
            rows.write_parquet(str(path), compression=compression)
            columns, count = list(rows.columns), len(records)
    except duckdb.Error as error:
        path.unlink(missing_ok=True)
        raise ToolError("The records are no table. Give each field values of one type in all records.") from error
    return {"file": path.name, "size_bytes": path.stat().st_size, "rows": count, "columns": columns}


@tool(
    tags="parquet schema inspect columns types statistics row groups metadata",
    use_when=(
        "Which columns has this Parquet file?",
        "How many rows and row groups are in this Parquet file?",
        "Show the first rows and column types of data.parquet",
    ),
    examples=(
        Example(
            {"file": _FILE},
            {
                "rows": 3,
                "row_groups": 1,
                "columns": [{"name": "n", "type": "BIGINT", "nulls": 1, "minimum": "-4", "maximum": "7"}],
            },
            source="by hand: least and greatest value of those written",
            files={_FILE: _SMALL},
        ),
        Refusal({"file": _FILE}, "not a readable Parquet file", files={_FILE: "aGVsbG8="}),
    ),
    reply="The file has {rows|row} in {row_groups|row group}: {columns}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def parquet_read_schema(file: File) -> ParquetSchema:
    """Read the schema of a Parquet file: columns with types and statistics, rows, row groups, and a preview.

    Use it to inspect a Parquet file without loading it. Returns the metadata of the file and its first rows.
    """
    try:
        with _database() as database:
            return _schema(database, file)
    except duckdb.Error as error:
        raise ToolError("This is not a readable Parquet file. Write it again.") from error


def _database() -> Any:
    """Open an empty database that fits in a worker's memory and loads nothing from the network."""
    return duckdb.connect(
        config={
            "threads": 1,
            "memory_limit": "400MB",
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )


def _schema(database: Any, file: str) -> ParquetSchema:
    table = database.read_parquet(file)
    (created, rows, groups), *_ = database.execute(
        "SELECT created_by, num_rows, num_row_groups FROM parquet_file_metadata(?)", [file]
    ).fetchall()
    statistics = database.execute(
        "SELECT split_part(path_in_schema, ', ', 1), sum(stats_null_count), list(stats_min_value), "
        "list(stats_max_value), sum(total_compressed_size) FROM parquet_metadata(?) GROUP BY 1",
        [file],
    ).fetchall()
    known = {name: rest for name, *rest in statistics}
    columns = [
        _column(name, str(kind), *known.get(name, (None, [], [], 0)))
        for name, kind in list(zip(table.columns, table.types, strict=True))[:_MOST_COLUMNS]
    ]
    preview = [dict(zip(table.columns, row, strict=True)) for row in table.limit(5).fetchall()]
    return {
        "rows": rows,
        "row_groups": groups,
        "created_by": plain(created or ""),
        "columns": columns,
        "preview": plain(preview),
    }


def _column(name: str, kind: str, nulls: Any, least: list[Any], greatest: list[Any], size: Any) -> ParquetColumn:
    return {
        "name": plain(name),
        "type": kind,
        "nulls": None if nulls is None else int(nulls),
        "minimum": _extreme(least, min),
        "maximum": _extreme(greatest, max),
        "compressed_bytes": int(size or 0),
    }


def _extreme(values: list[Any], chosen: Callable[..., Any]) -> str | None:
    """Return the smallest or largest of the texts of all row groups, compared as numbers if they are numeric."""
    texts = [str(plain(value)) for value in values if value is not None]
    try:
        found: str | None = chosen(texts, key=float, default=None)
    except ValueError:
        found = chosen(texts)
    return found
