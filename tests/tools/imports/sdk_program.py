"""An MCP server made with the protocol's own SDK that is a program: `python -m tests.tools.imports.sdk_program`."""

import os

from tests.tools.imports.sdk_server import READS, everyday_server


def variable(name: str) -> str:
    """Tell a variable of the environment."""
    return os.environ.get(name, "")


if __name__ == "__main__":
    server = everyday_server()
    server.add_tool(variable, annotations=READS)
    server.run("stdio")
