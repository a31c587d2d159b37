"""Responses that a client does not read end after a time, and hold little memory until then."""

from contextlib import ExitStack

import psutil

from tests.conftest import NewUser, StartServer, User
from tests.files.support import MIB, upload
from tests.gate.test_shutdown import get
from tests.support.client import Client, data
from tests.support.raw import connect
from tests.support.server import Server
from tests.support.waiting import eventually

SIZE = 20 * MIB
AT_ONCE = 16


def established(server: Server) -> int:
    """Return the number of connections that the server has open."""
    assert server.process
    connections = psutil.Process(server.process.pid).net_connections("tcp")
    port = int(server.url.rpartition(":")[2])
    return sum(one.status == "ESTABLISHED" and one.laddr.port == port for one in connections)


def test_an_unread_response_ends(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_SEND_TIMEOUT="2")
    user: User = new_user(server)
    with ExitStack() as stack:
        client = user.client()
        file = upload(client, bytes(SIZE))["id"]
        user.close()
        paths = [f"/files/{file}/content", "/openapi.json"]
        for path in paths:
            for _ in range(AT_ONCE):
                connection = stack.enter_context(connect(server))
                connection.sendall(get(client, path) * (1 if path.startswith("/files") else 40))
        eventually(lambda: established(server) > AT_ONCE)
        eventually(lambda: established(server) == 0)


def test_an_account_has_sixteen_downloads_at_once(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client: Client = new_user(server).client()
    other: Client = new_user(server).client()
    assert server.process
    process = psutil.Process(server.process.pid)
    file = upload(client, bytes(SIZE))["id"]
    content = f"/files/{file}/content"
    assert client.get(content).content == bytes(SIZE)
    before = process.memory_info().rss
    with ExitStack() as stack:
        for _ in range(AT_ONCE):
            connection = stack.enter_context(connect(server))
            connection.sendall(get(client, content))
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
        refused = client.get(content)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert "16 downloads" in refused.text
        assert client.get("/audit?format=csv").status_code == 429
        assert other.get("/audit?format=csv").status_code == 200
        assert process.memory_info().rss - before < AT_ONCE * MIB
        eventually(lambda: data(client.get("/agents")) == [])
    eventually(lambda: client.get(content, headers={"Range": "bytes=0-0"}).status_code == 206)
