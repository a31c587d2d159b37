"""Print a reply while the model writes it, and continue the conversation.

    python stream_chat.py "Name three uses of a paper clip."

Reads RETINUE_URL and RETINUE_API_KEY.
"""

import sys

from retinue_client import Retinue


def say(client: Retinue, message: str, conversation: str | None = None) -> str:
    """Send a message, print the reply as it arrives, and return the ID of the conversation."""
    with client.chat.create(message=message, conversation_id=conversation, stream=True) as stream:
        for chunk in stream:
            if chunk.type == "text":
                print(chunk.content, end="", flush=True)
            elif chunk.type == "tool_start":
                print(f"[{chunk.tool}] ", end="", flush=True)
            elif chunk.type == "done":
                print()
                return str(chunk.conversation_id)
    raise RuntimeError("The stream ended early.")


def main() -> None:
    """Ask a question, and then a second one that needs the first."""
    question = sys.argv[1] if len(sys.argv) > 1 else "Name three uses of a paper clip."
    with Retinue() as client:
        conversation = say(client, question)
        say(client, "Which of these is the oldest?", conversation)


if __name__ == "__main__":
    main()
