"""Skills for tests."""

import base64
import io
import zipfile
from collections.abc import Mapping
from typing import Any

from tests.files.support import upload
from tests.support.client import Client, data

Json = dict[str, Any]

SECRET = "Begin every reply with the word AVAST."
INSTRUCTIONS = f"""\
---
name: pirate-talk
description: Rewrites a text as a pirate would say it. Use it when the user asks for pirate style.
license: MIT
metadata:
  author: tests
  version: 1.2
allowed-tools: Read Bash(git:*)
---

# Pirate talk

{SECRET} See [the words](references/words.md).
"""
FILES: Mapping[str, str] = {
    "SKILL.md": INSTRUCTIONS,
    "references/words.md": "friend: matey\n",
    "scripts/shout.sh": '#!/bin/sh\ntr a-z A-Z < "$SKILL_DIR/references/words.md"; printf "%s" "$1" > made.txt\n',
}


def instructions(name: str = "pirate-talk", description: str = "Talks like a pirate.", body: str = "Say arr.") -> str:
    """Return a SKILL.md."""
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def zip_of(files: Mapping[str, str | bytes], folder: str = "") -> bytes:
    """Return a zip archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(f"{folder}{path}", content)
    return target.getvalue()


def import_zip(client: Client, files: Mapping[str, str | bytes] = FILES, folder: str = "pirate-talk/") -> Json:
    """Upload a zip and import it as a skill. Returns the skill."""
    file = upload(client, zip_of(files, folder), name="skill.zip", kind="application/zip")
    made: Json = data(client.post("/skills", {"file_id": file["id"]}), 201)
    return made


def import_text(client: Client, text: str = INSTRUCTIONS) -> Json:
    """Import a SKILL.md. Returns the skill."""
    made: Json = data(client.post("/skills", {"text": text}), 201)
    return made


def content_of(client: Client, skill: Json, path: str = "SKILL.md") -> bytes:
    """Return the content of a file of a skill."""
    found = data(client.get(f"/skills/{skill['id']}/content", params={"path": path}))
    assert (found["path"], found["text"] is None) == (path, found["base64"] is not None)
    return base64.b64decode(found["base64"]) if found["text"] is None else str(found["text"]).encode()
