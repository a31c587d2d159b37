"""The examples of a document: what they are, and running them in one shell, as a reader would."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.forked_command import install_command
from tests.support.server import COMMAND, Server

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "src/retinue/reference/guides"
CLIENTS = [ROOT / "clients" / language / "README.md" for language in ("python", "typescript")]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *GUIDES.glob("*.md"), *CLIENTS])
_BLOCK = re.compile(
    r"(?:<!-- (?:illustration: (?P<reason>.+?)|file: (?P<file>\S+)) -->\n)?"
    r"```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.S | re.M,
)
_ADDRESS = "http://127.0.0.1:8000"
_MARK = "<<<end of an example>>>"


@dataclass(frozen=True)
class Block:
    """A fenced block. `reason` says why one that looks like an example is none; `file` is what to save it as."""

    language: str
    text: str
    reason: str | None
    file: str | None


def blocks(document: Path) -> list[Block]:
    """Every fenced block of a document."""
    found = _BLOCK.finditer(document.read_text())
    return [Block(match["language"], match["text"], match["reason"], match["file"]) for match in found]


def examples(document: Path) -> list[str]:
    """The shell examples that can be run."""
    return [block.text for block in blocks(document) if block.language == "bash" and block.reason is None]


def save_files(document: Path, folder: Path, address: str) -> None:
    """Save the files that a document shows, with `address` as the server in them, beside the JavaScript client."""
    module = folder / "node_modules/retinue-client"
    if not module.exists():
        module.parent.mkdir()
        module.symlink_to(ROOT / "clients/typescript")
    for block in blocks(document):
        if block.file:
            (folder / block.file).write_text(block.text.replace(_ADDRESS, address))


def run(texts: list[str], server: Server, key: str, folder: Path, seconds: float = 300.0) -> list[str]:
    """Run examples one after the other in one shell against a server; returns what each prints."""
    script = "".join(f"{text}\necho; echo '{_MARK}'\n" for text in texts)
    environment = {
        **os.environ,
        **server.env,
        "RETINUE_KEY": key,
        "PATH": f"{install_command(folder)}:{Path(COMMAND).parent}:{os.environ['PATH']}",
    }
    ended = subprocess.run(
        ["bash", "-euc", script.replace(_ADDRESS, server.url)],
        env=environment, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, f"status {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    outputs = [output.strip() for output in ended.stdout.split(_MARK)[:-1]]
    assert len(outputs) == len(texts)
    return outputs
