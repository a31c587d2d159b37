"""Fixtures of the whole suite: databases, a model, running servers, and clients of fresh users.

`server`, and all that rests on it, runs on SQLite and on PostgreSQL. `start_server` makes servers for one test alone.
"""

import asyncio
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests
from hypothesis import settings

from retinue.core.gc_tuning import keep_what_is_there, look_rarely
from retinue.models.download import pull
from tests.support.client import Client
from tests.support.databases import Postgres, SqliteTemplate, running_postgres, running_valkey
from tests.support.model_server import ModelServer, running_model_server
from tests.support.programs import MUST_RUN, not_run, stop_without_programs
from tests.support.server import Server
from tests.support.waiting import eventually

settings.register_profile("suite", deadline=None)  # the time of an example says more of the machine than of the code
settings.load_profile("suite")

DATABASES = ("sqlite", "postgresql")
SMALL = "0.5b"
"""The local model of the tests."""
NOWHERE = "http://127.0.0.1:9"
"""In place of the public hub: the weights come in packages."""
_running: list[Server] = []


def pytest_configure() -> None:
    """While the thousands of tests are gathered, hardly anything dies."""
    look_rarely()


def pytest_collection_finish() -> None:
    """Never again walk through the thousands of tests in search of dead cycles."""
    keep_what_is_there()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let every worker begin with its share of the slow tests, so that none is left with them at the end."""
    workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    slow = sorted((item for item in items if item.get_closest_marker("slow")), key=_patience, reverse=True)
    rest = [item for item in items if not item.get_closest_marker("slow")]
    share = len(items) // workers
    items.clear()
    for number in range(workers):
        first = [*slow[number :: 2 * workers], *slow[2 * workers - 1 - number :: 2 * workers]]
        items += [*first, *(rest.pop(0) for _ in range(min(share - len(first), len(rest))))]
    items += rest


def _patience(item: pytest.Item) -> float:
    """The seconds after which a test is given up, which say how long it may take."""
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker else 0.0


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Run no test without the programs that it needs."""
    stop_without_programs(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell which tests were not run, and why."""
    if reasons := not_run(terminalreporter.getreports("skipped")):
        terminalreporter.section("not run", yellow=True)
        for reason, tests in reasons.items():
            terminalreporter.line(f"{len(tests)} tests: {reason}")
            for name in tests:
                terminalreporter.line(f"    {name}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where everything must run, fail if a test was not run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get(MUST_RUN) and exitstatus == pytest.ExitCode.OK and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the end of every running server's log beside a failure."""
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
    """The schema on SQLite, which new servers get a copy of."""
    return SqliteTemplate(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The address of a Valkey server."""
    with running_valkey() as address:
        yield address


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    """The model behind live keys."""
    with running_model_server(ModelServer) as server:
        yield server


@pytest.fixture
def model(model_server: ModelServer) -> Iterator[ModelServer]:
    """The model behind live keys, with nothing told to it yet."""
    model_server.reset()
    yield model_server
    model_server.reset()


NewServer = Callable[..., Server]
StartServer = Callable[..., Server]


@pytest.fixture(scope="session")
def new_server(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest, model_server: ModelServer
) -> NewServer:
    """Makes servers that are not started yet: `new_server("sqlite", RETINUE_RUN_CONCURRENCY="2")`.

    The database has its schema already. Without one, and without a data folder: `new_server("sqlite", empty=True)`.
    """

    def make(database: str = "sqlite", *, empty: bool = False, **env: str) -> Server:
        folder = tmp_path_factory.mktemp("server")
        if database == "postgresql" and "RETINUE_DATABASE_URL" not in env:
            postgres: Postgres = request.getfixturevalue("postgres")
            env["RETINUE_DATABASE_URL"] = postgres.new_database() if empty else postgres.new_platform_database()
        elif not (empty or env.get("RETINUE_DATABASE_URL")):
            template: SqliteTemplate = request.getfixturevalue("sqlite_template")
            template.copy_to(folder / "home")
        defaults = {"RETINUE_MODEL_URL": model_server.url, "RETINUE_MODEL_NAME": "stand-in"}
        return Server(folder, {**defaults, **env})

    return make


@pytest.fixture
def start_server(new_server: NewServer) -> Iterator[StartServer]:
    """Starts servers for one test, and ends them after it: `start_server("postgresql", RETINUE_RATE_LIMITS="on")`."""
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
    """The real weights of the small local model, fetched once."""
    folder = Path(os.environ.get("RETINUE_WEIGHTS_DIR") or "~/.cache/retinue").expanduser()
    asyncio.run(pull(SMALL, folder, hub=NOWHERE))
    return folder


@pytest.fixture
def local_server(start_server: StartServer, weights_folder: Path) -> Server:
    """A server with the small local model, ready to answer."""
    local = {"RETINUE_MODEL_URL": "", "RETINUE_LOCAL_MODEL": SMALL, "RETINUE_WEIGHTS_DIR": str(weights_folder)}
    server = start_server(**local)
    eventually(lambda: requests.get(f"{server.url}/readyz", timeout=10).json()["model"]["state"] == "ready", within=300)
    return server


@pytest.fixture(scope="session", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """The one server of a database that the ordinary tests share."""
    server = new_server(request.param, empty=True)
    _running.append(server)
    server.start()
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()
    _running.remove(server)


@pytest.fixture
def server(shared_server: Server) -> Iterator[Server]:
    """A running server on each database; a test that makes it log trouble fails."""
    yield shared_server
    shared_server.check_log()


@dataclass
class User:
    """A fresh user and their clients."""

    server: Server
    email: str
    _clients: list[Client] = field(default_factory=list)

    def client(self, scopes: Sequence[str] = ("*",), test: bool = False) -> Client:
        """A client with a new key."""
        return self.with_key(self.server.new_key(self.email, scopes, test))

    def with_key(self, key: str) -> Client:
        """A client with that key."""
        client = Client(self.server, key)
        self._clients.append(client)
        return client

    def close(self) -> None:
        """Let go of connections."""
        for client in self._clients:
            client.close()


NewUser = Callable[..., User]


@pytest.fixture
def new_user() -> Iterator[NewUser]:
    """Makes users: `new_user(server, plan="free")`."""
    with ExitStack() as stack:

        def make(server: Server, plan: str = "enterprise") -> User:
            user = User(server, server.new_user(plan))
            stack.callback(user.close)
            return user

        yield make


@pytest.fixture
def user(server: Server, new_user: NewUser) -> User:
    """A fresh user on plan enterprise."""
    made: User = new_user(server)
    return made


@pytest.fixture
def client(user: User, model: ModelServer) -> Client:
    """The user's client with a live key and every scope; its model is the stand-in `model`."""
    return user.client()


@pytest.fixture
def sandbox(user: User) -> Client:
    """The user's client with a test key: its model does what directives in the message say."""
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
