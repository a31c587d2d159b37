"""The command `retinue` as a program that asks the fork server to run it, so that it need not import everything."""

import os
import sys
from pathlib import Path

from tests.support.fork_server import ROOT, begin, share


def install_command(folder: Path) -> Path:
    """Write the program `retinue` to a new folder below `folder`. Returns the folder, which belongs into PATH."""
    share()
    programs = folder / "programs"
    programs.mkdir()
    program = programs / "retinue"
    lines = ("import sys", f"sys.path.insert(0, {str(ROOT)!r})", f"from {__name__} import run", "sys.exit(run())")
    program.write_text("\n".join([f"#!{sys.executable}", *lines, ""]))
    program.chmod(0o755)
    return programs


def run() -> int:
    """Run the command with the arguments, environment and streams of this process. Returns its exit status."""
    return begin(sys.argv[1:], os.environ, sys.stdout, sys.stderr, sys.stdin).wait()
