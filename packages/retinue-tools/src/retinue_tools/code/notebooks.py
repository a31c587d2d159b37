"""Jupyter notebooks (format 4)."""

import json
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, json_object


class Notebook(TypedDict):
    """A converted notebook."""

    text: Annotated[str, About("Converted notebook")]
    cells: Annotated[int, About("Number of cells")]
    outputs: Annotated[int, About("Number of outputs before the conversion")]


@tool(
    tags="jupyter notebook ipynb convert script markdown clean strip outputs python",
    use_when=(
        "Convert this Jupyter notebook to a Python script",
        "Strip the outputs of my notebook before committing",
        "Turn this .ipynb into Markdown",
    ),
    examples=(
        Example(
            {
                "notebook": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", '
                '"source": ["# T"]}, {"cell_type": "code", "source": "%time\\nx = 1", "outputs": [{"output_type": '
                '"stream", "text": ["hi\\n"]}], "execution_count": 3}]}',
                "to": "script",
            },
            {"text": "# %% [markdown]\n# # T\n\n# %%\n# %time\nx = 1\n", "cells": 2, "outputs": 1},
            source="the percent format of notebooks as scripts",
        ),
        Example(
            {
                "notebook": '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["1"], '
                    '"outputs": [{"output_type": '
                '"execute_result", "data": {"text/plain": ["1"]}}]}]}',
                "to": "markdown",
            },
            {"text": "```python\n1\n```\n\n```text\n1\n```\n"},
            source="by hand",
        ),
        Example(
            {"notebook": '{"nbformat":4,"cells":[{"cell_type":"code","source":"1","outputs":[{}],'
                '"execution_count":2}]}', "to": "clean"},
            {
                "text": '{\n "nbformat": 4,\n "cells": [\n  {\n   "cell_type": "code",\n   "source": '
                    '"1",\n   "outputs": [],\n'
                '   "execution_count": null\n  }\n ]\n}\n'
            },
            source="the notebook format: a code cell that has not run",
        ),
        Refusal({"notebook": "{}", "to": "script"}, "not a notebook"),
    ),
    reply="The converted notebook with {cells|cell}: {text}",
)  # fmt: skip
def notebook_convert_cells(
    notebook: Document,
    to: Annotated[
        Literal["script", "markdown", "clean"], About("Python script, Markdown, or a notebook without outputs")
    ],
) -> Notebook:
    """Convert a Jupyter notebook to a Python script or Markdown, or remove its outputs.

    Use it to read, review or commit a notebook. Magic commands become comments in a script. Returns the new text.
    """
    document = json_object(notebook)
    cells = document.get("cells")
    if not isinstance(cells, list):
        raise ToolError("The document is not a notebook of format 4: it has no list of cells.")
    cells = [cell for cell in cells if isinstance(cell, dict)]
    outputs = sum(len(cell["outputs"]) for cell in cells if isinstance(cell.get("outputs"), list))
    if to == "clean":
        for cell in cells:
            if cell.get("cell_type") == "code":
                cell.update(outputs=[], execution_count=None)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    else:
        make = _script_cell if to == "script" else _markdown_cell
        text = "\n\n".join(make(cell) for cell in cells) + "\n"
    return {"text": text, "cells": len(cells), "outputs": outputs}


def _source(part: Any) -> str:
    return "".join(map(str, part)) if isinstance(part, list) else str(part or "")


def _script_cell(cell: dict[str, Any]) -> str:
    source = _source(cell.get("source"))
    if cell.get("cell_type") != "code":
        return "\n".join(["# %% [markdown]", *(f"# {line}".rstrip() for line in source.split("\n"))])
    lines = [f"# {line}" if line.lstrip().startswith(("%", "!")) else line for line in source.split("\n")]
    return "\n".join(["# %%", *lines])


def _markdown_cell(cell: dict[str, Any]) -> str:
    source = _source(cell.get("source"))
    if cell.get("cell_type") != "code":
        return source
    outputs = cell.get("outputs")
    texts = [_output(one) for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    fenced = [f"```text\n{text.rstrip()}\n```" for text in texts if text]
    return "\n\n".join([f"```python\n{source}\n```", *fenced])


def _output(output: dict[str, Any]) -> str:
    bundle = output.get("data")
    if isinstance(bundle, dict):
        return _source(bundle.get("text/plain"))
    return _source(output.get("text")) or str(output.get("evalue") or "")
