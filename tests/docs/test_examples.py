"""Every example of the documentation can be run as it stands."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.docs.blocks import DOCUMENTS, GUIDES, ROOT, blocks, examples, run, save_files
from tests.support.model_server import ModelServer
from tests.support.server import Server
from tests.tools.imports.programs import SDK_PROGRAM, section
from tests.tools.imports.sdk_server import running_sdk_server

RUNNABLE = [document for document in DOCUMENTS if document != ROOT / "README.md" and examples(document)]
PROGRAMS = ("curl", "node")
"""Programs of the system that examples use."""
MOST_ILLUSTRATIONS = 13
SHOWN = {"bash", "json", "text"}
TESTED_ELSEWHERE = {"webhooks.md": {"python", "javascript"}, "tools.md": {"python"}}
"""Languages of blocks that a test of their own runs: the receivers of webhooks, the tool that is added."""

MCP_SERVER = "https://mcp.example.com/mcp"
"""The server of an example: one on this machine takes its place."""

REFUSAL = '{"error":'


def programs_of(document: Path) -> list[str]:
    """The programs of the system that its examples use."""
    return [name for name in PROGRAMS if any(f"{name} " in text for text in examples(document))]


def allow(folder: Path) -> dict[str, str]:
    """Settings that let a server import the tools of MCP servers on this machine."""
    file = folder / "allowed.toml"
    file.write_text(section("weather", SDK_PROGRAM, credential="TOKEN"))
    return {"RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8", "RETINUE_MCP_PROGRAMS_FILE": str(file)}


def test_there_is_something_to_run() -> None:
    assert set(GUIDES.glob("*.md")) - {GUIDES / "how-to.md"} <= set(RUNNABLE), "all but the guide of the portal"
    assert len(examples(ROOT / "README.md")) >= 6


def test_few_examples_are_illustrations() -> None:
    shown = [block for document in DOCUMENTS for block in blocks(document) if block.reason]
    assert len(shown) <= MOST_ILLUSTRATIONS
    assert {block.language for block in shown} <= {"bash", "nginx"}


def test_no_example_is_in_a_language_that_nothing_runs() -> None:
    for document in DOCUMENTS:
        languages = {block.language for block in blocks(document) if not (block.file or block.reason)}
        assert languages <= SHOWN | TESTED_ELSEWHERE.get(document.name, set()), document


@pytest.mark.long
@pytest.mark.timeout(360)  # a guide of many commands starts many processes
@pytest.mark.parametrize(
    "document",
    [pytest.param(path, id=path.name, marks=pytest.mark.needs_program(*programs_of(path))) for path in RUNNABLE],
)
def test_the_examples_of_a_document_run(
    document: Path, start_server: Callable[..., Server], model: ModelServer, tmp_path: Path
) -> None:
    imports = MCP_SERVER in document.read_text()
    server = start_server(**(allow(tmp_path) if imports else {}))
    save_files(document, tmp_path, server.url)
    with running_sdk_server() if imports else nullcontext() as far:
        texts = [text.replace(MCP_SERVER, far.url("stream")) if far else text for text in examples(document)]
        outputs = run(texts, server, server.first_key, tmp_path)
    refusals = [output for output in outputs if output.replace(" ", "").startswith(REFUSAL)]
    shown = [block for block in blocks(document) if block.language == "json" and '"error"' in block.text]
    assert len(refusals) == len(shown), refusals
    assert all(output for output, text in zip(outputs, examples(document), strict=True) if text.startswith("curl"))
