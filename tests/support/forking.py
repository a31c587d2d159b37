"""The process that imports everything once and forks for each start: see `tests.support.fork_server`.

Its arguments are two descriptors: a socket that listens for requests, and one that reaches its end when the tests do.
"""

import asyncio
import contextlib
import gc
import importlib
import json
import os
import selectors
import socket
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

import alembic.command  # noqa: F401 - every new database is migrated
import starlette.routing

import retinue.core.database.postgres
import retinue.core.runtime.failpoints
import retinue.knowledge.embedding
import retinue.marketplace.shipped
import retinue.server
import retinue_client  # noqa: F401 - commands that call a server use it
from retinue.app import APIS
from retinue.cli.main import COMMANDS, main
from retinue.core.database.statements import DIALECTS, Statement
from retinue.models.assistant import installed_assistant
from retinue.portal import templating
from retinue.portal.routes import GROUPS
from retinue.reference.routes import document
from retinue.sandbox.sandboxes import Sandboxes
from retinue.sandbox.system_requirements import find_program
from retinue.tools.authoring.libraries import PACKAGE
from retinue.tools.catalogue.catalogue_file import CompiledCatalogue
from tests.support.loop_cpu import LIMIT, log_long_iterations

_MESSAGE_BYTES = 1 << 20
_STREAMS = (1, 2, 0)
"""Standard output, standard error, and standard input if it is sent."""


@dataclass
class Forking:
    """The sockets for requests and the running processes."""

    listener: socket.socket
    lifeline: socket.socket
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    running: dict[int, tuple[int, socket.socket]] = field(default_factory=dict)
    """The process id and the socket to report its exit status to, by pidfd."""

    def serve(self) -> bool:
        """Fork until the tests are over. Returns true in each fork."""
        for watched in (self.listener, self.lifeline):
            self.selector.register(watched, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.lifeline:
                    return False
                if key.fileobj is not self.listener:
                    self._tell_end(key.fd)
                elif self._fork():
                    return True

    def _fork(self) -> bool:
        connection, _ = self.listener.accept()
        message, files, _, _ = socket.recv_fds(connection, _MESSAGE_BYTES, len(_STREAMS))
        pid = os.fork()
        if not pid:
            self._close()
            connection.close()
            _become(json.loads(message), files)
            return True
        for file in files:
            os.close(file)
        connection.send(b"%d" % pid)
        watched = os.pidfd_open(pid)
        self.running[watched] = (pid, connection)
        self.selector.register(watched, selectors.EVENT_READ)
        return False

    def _tell_end(self, watched: int) -> None:
        pid, connection = self.running.pop(watched)
        self.selector.unregister(watched)
        os.close(watched)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with contextlib.suppress(BrokenPipeError), connection:  # The requester may have ended.
            connection.send(b"%d" % status)

    def _close(self) -> None:
        """Close the parent's descriptors in a fork."""
        for watched, (_, connection) in self.running.items():
            os.close(watched)
            connection.close()
        for held in (self.selector, self.listener, self.lifeline):
            held.close()


def _become(request: dict[str, Any], files: list[int]) -> None:
    """Apply the request's arguments, environment, working directory and output files."""
    for number, file in zip(_STREAMS, files, strict=False):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["env"])
    sys.path.extend(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    os.chdir(request["folder"])
    sys.argv = ["retinue", *request["arguments"]]
    if limit := os.environ.get(LIMIT):
        log_long_iterations(float(limit))
    importlib.reload(retinue.core.runtime.failpoints)  # The only module that reads the environment when it is imported.


def _warm_up() -> None:
    """Import every command, and build what every server would build at first use, such as its document and its SQL."""
    for place, _ in COMMANDS.values():
        importlib.import_module(f"retinue.cli.{place.partition(':')[0]}")
    document(APIS)
    for statement in [found for found in gc.get_objects() if isinstance(found, Statement)]:
        for dialect in DIALECTS:
            statement.compile(dialect)
    with tempfile.TemporaryDirectory() as kept:
        templating.load_templates(Path(kept))
    installed_assistant()
    _keep_catalogue()
    _keep_routes()
    _keep_shipped_items()
    _keep_embedding_model()
    _keep_sandbox_trial()


def _keep_catalogue() -> None:
    """Read each compiled catalogue once. A server still checks that it was built from the present sources."""
    read = CompiledCatalogue.read
    read_version = cache(lambda path, _inode, _written_at: read(path))

    def read_once(path: Path) -> CompiledCatalogue | None:
        if not path.exists():
            return None
        status = path.stat()
        return read_version(path, status.st_ino, status.st_mtime_ns)

    patch.object(CompiledCatalogue, "read", read_once).start()
    CompiledCatalogue.read(PACKAGE / "catalogue.json")


def _keep_routes() -> None:
    """Compile the path of each page of the portal once."""
    compile_once = cache(starlette.routing.compile_path)
    patch.object(starlette.routing, "compile_path", compile_once).start()
    for path in {declared.path for group in GROUPS for declared in group.declared}:
        compile_once(path)


def _keep_shipped_items() -> None:
    """Read the items that every new database gets once."""
    retinue.marketplace.shipped.shipped_checksums()
    items = tuple(retinue.marketplace.shipped.shipped_items())
    patch.object(retinue.marketplace.shipped, "shipped_items", lambda: items).start()


def _keep_embedding_model() -> None:
    """Load the embedding model once. A fork shares its memory, and has no threads of OpenBLAS."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if retinue.knowledge.embedding.included_model():
        retinue.knowledge.embedding._load()


def _keep_sandbox_trial() -> None:
    """Try bubblewrap once. A server that finds another bubblewrap in its PATH tries that one."""
    tried = find_program("bwrap")
    if tried is None or not _can_sandbox():
        return
    try_sandbox = Sandboxes._try

    async def try_once(self: Sandboxes) -> str:
        return "" if find_program("bwrap") == tried else await try_sandbox(self)

    patch.object(Sandboxes, "_try", try_once).start()


def _can_sandbox() -> bool:
    """Return whether programs run in bubblewrap here. A child tries it, because it starts threads."""
    pid = os.fork()
    if not pid:
        with tempfile.TemporaryDirectory() as scratch:
            reason = asyncio.run(Sandboxes(1, Path(scratch), lambda: None).missing(["bwrap"]))
        os._exit(bool(reason))
    return os.waitpid(pid, 0)[1] == 0


def _run() -> NoReturn:
    """Run the command, and exit without freeing objects: freeing would copy memory pages shared with the parent."""
    try:
        main()
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _forked() -> bool:
    listener, lifeline = (socket.socket(fileno=int(number)) for number in sys.argv[1:])
    _warm_up()
    gc.collect()
    gc.freeze()
    return Forking(listener, lifeline).serve()


if __name__ == "__main__" and _forked():
    _run()
