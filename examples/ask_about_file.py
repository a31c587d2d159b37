"""Upload a file and ask a question about it.

    python ask_about_file.py sales.csv "Which month had the highest sales?"

Reads RETINUE_URL and RETINUE_API_KEY.
"""

import sys
from pathlib import Path

from retinue_client import Retinue

SAMPLE = "month,sales\njanuary,120\nfebruary,90\nmarch,150\n"


def main() -> None:
    """Upload the file, attach it to a message, print the reply, and delete the file."""
    if len(sys.argv) > 1:
        path, question = Path(sys.argv[1]), sys.argv[2]
        content, name = path.read_bytes(), path.name
    else:
        content, name, question = SAMPLE.encode(), "sales.csv", "Which month had the highest sales?"
    with Retinue() as client:
        file = client.files.upload(content, name=name)
        print(f"{file.name}: {file.media_type}, {file.size} bytes")
        try:
            answer = client.chat.create(message=question, attachments=[file.id])
            print(answer.reply)
            print("Tools:", ", ".join(answer.tools_used) or "none")
        finally:
            client.files.delete(file.id)


if __name__ == "__main__":
    main()
