"""Tool requests through connections, and secrets that a user types into arguments."""

import pytest

from tests.connections.echo import Echo, running_echo
from tests.connections.support import SECRET, Json, api, connect, execute
from tests.support.client import Client, refuse

MARK = "[secret of connection work-api]"


def test_an_echo_shows_no_secret(client: Client, echo: Echo) -> None:
    connect(client, api(echo.url()))
    result = execute(client, "http_send_request", url=echo.url("/a"), connection="work-api")
    assert echo.last()["headers"]["authorization"] == f"Bearer {SECRET}"
    assert result["headers"]["x-sent"] == f"Bearer {MARK}"
    assert result["json"]["headers"]["authorization"] == f"Bearer {MARK}"
    assert SECRET not in str(result)


def test_a_cut_through_the_secret_shows_none_of_it(client: Client, echo: Echo) -> None:
    connect(client, api(echo.url()))
    url = echo.url("/a")
    whole = execute(client, "http_send_request", url=url, connection="work-api")["text"]
    length = whole.index(MARK) + len(SECRET) - 2
    cut = execute(client, "http_send_request", url=url, connection="work-api", most_bytes=length)["text"]
    assert cut.endswith(MARK)


def test_a_redirect_elsewhere_goes_without_the_secret(client: Client, echo: Echo) -> None:
    connect(client, api(echo.url("/v1"), settings={"type": "header", "name": "X-Key"}))
    with running_echo() as other:
        echo.next_answers += [(302, {"Location": echo.url("/v1/b")}), (302, {"Location": other.url("/c")})]
        execute(client, "http_send_request", url=echo.url("/v1/a"), connection="work-api")
        assert [one["headers"].get("x-key") for one in echo.received] == [SECRET, SECRET]
        assert "x-key" not in other.last()["headers"]
    echo.next_answers += [(302, {"Location": echo.url("/v2")})]
    execute(client, "http_send_request", url=echo.url("/v1/a"), connection="work-api")
    assert "x-key" not in echo.last()["headers"]


@pytest.mark.parametrize("path", ["/v10/a", "/", "/v1/../a", "/v1/%2e%2e/a", "/v1/..%2Fa", "/v1/..\\a"])
def test_the_secret_goes_to_its_own_path_alone(client: Client, echo: Echo, path: str) -> None:
    connect(client, api(echo.url("/v1")))
    call = {"args": {"url": echo.url(path), "connection": "work-api"}}
    refuse(
        client.post("/tools/http_send_request/execute", call), 400, "is not sent to any other address", echo.url("/v1")
    )
    assert echo.received == []


@pytest.mark.parametrize(
    ("tool", "args", "place"),
    [
        ("http_send_request", {"headers": {"authorization": f"Bearer {SECRET}"}}, "headers.authorization"),
        ("http_send_request", {"headers": {"Proxy-Authorization": SECRET}}, "headers.Proxy-Authorization"),
        ("http_send_request", {"headers": {"X-API-Key": SECRET}}, "headers.X-API-Key"),
        ("http_send_request", {"headers": {"Cookie": f"a={SECRET}"}}, "headers.Cookie"),
        ("http_send_request", {"headers": {"Private-Token": SECRET}}, "headers.Private-Token"),
        ("http_send_request", {"headers": {"Ocp-Apim-Subscription-Key": SECRET}}, "headers.Ocp-Apim-Subscription-Key"),
        ("http_send_request", {"url": f"https://ann:{SECRET}@example.com/"}, "url"),
        ("http_send_request", {"url": f"https://{SECRET}@example.com/"}, "url"),
        ("http_send_request", {"url": f"https://example.com/?a=1&API_KEY={SECRET}"}, "url"),
        ("http_send_request", {"url": f"https://example.com/?access_token={SECRET}#x"}, "url"),
        ("graphql_send_query", {"query": "{a}", "headers": {"Authorization": SECRET}}, "headers.Authorization"),
        ("openapi_call_operation", {"operation": "a", "parameters": {"api_key": SECRET}}, "parameters.api_key"),
        ("web_convert_to_markdown", {"url": f"https://example.com/?token={SECRET}"}, "url"),
        ("web_compare_pages", {"second_url": f"https://a:{SECRET}@example.com/"}, "second_url"),
        ("notify_ntfy", {"topic": "t", "text": "a", "server": f"https://a:{SECRET}@example.com/"}, "server"),
    ],
)
def test_a_typed_secret_is_refused(client: Client, tool: str, args: Json, place: str) -> None:
    needed = {} if tool == "notify_ntfy" or "second_url" in args else {"url": "https://example.com/"}
    call = {"args": {**needed, **args}}
    message = refuse(client.post(f"/tools/{tool}/execute", call), 400, place, "Create a connection", "/connections")
    assert SECRET not in message


@pytest.mark.parametrize(
    "args",
    [
        {"headers": {"Accept": "text/plain", "If-None-Match": "x", "Idempotency-Key": "once", "X-Trace": "a"}},
        {"path": "/a?page=2&next_page_token=abc&author=ann&token="},
    ],
)
def test_fields_that_are_not_secret_are_sent(client: Client, echo: Echo, args: Json) -> None:
    url = echo.url(args.pop("path", "/a"))
    assert execute(client, "http_send_request", url=url, **args)["status"] == 200


@pytest.mark.parametrize("old", [{"account": {}}, {"token": SECRET}, {"password": SECRET}, {"secret": SECRET}])
@pytest.mark.parametrize("tool", ["email_send_smtp", "notify_telegram", "notify_webhook", "notify_ntfy"])
def test_arguments_for_secrets_are_gone(client: Client, tool: str, old: Json) -> None:
    message = refuse(client.post(f"/tools/{tool}/execute", {"args": old}), 400, next(iter(old)), "not known")
    assert SECRET not in message
