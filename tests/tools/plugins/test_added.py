"""Tools of other authors: of a package that is installed beside the server, and of modules in the folder `tools.d`."""

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

from retinue.tools.authoring.plugin_module import PluginModule
from retinue.tools.authoring.skeleton import skeleton
from retinue.tools.plugins.tools import compile_modules
from tests.conftest import StartServer
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually

PACKAGE = '''"""Tools about runs."""
from retinue.sdk import About, Annotated, Example, TypedDict, tool
class Pace(TypedDict):
    minutes: Annotated[float, About("Minutes for one kilometre")]
@tool(category="datetime", tags="jogging marathon pace", use_when=("What is my jogging pace?",),
      examples=(Example({"km": 10, "minutes": 50}, {"minutes": 5.0}, source="50 / 10"),))
def jogging_compute_pace(km: Annotated[float, About("Distance", 10, exclusive_minimum=0)],
                         minutes: Annotated[float, About("Time", 50, exclusive_minimum=0)]) -> Pace:
    """Compute the jogging pace from a distance in kilometres and a time in minutes."""
    return {"minutes": minutes / km}
'''
GREETING = skeleton("greeting_say_hello", "text")
ADA = {"args": {"name": "Ada"}}


def install_package(folder: Path) -> str:
    """Build a wheel with a module of tools and install it into a folder that the server imports from."""
    wheel = folder / "jogging_tools-1.0-py3-none-any.whl"
    info = "jogging_tools-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("jogging_tools.py", PACKAGE)
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: jogging-tools\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/entry_points.txt", "[retinue.tools]\njogging = jogging_tools\n")
        file.writestr(f"{info}/RECORD", "")
    target = folder / "site"
    command = [find_uv_bin(), "pip", "install", "-q", "--no-deps", "--offline", "--python", sys.executable]
    subprocess.run([*command, "--target", str(target), str(wheel)], check=True)
    return str(target)


@pytest.fixture
def server(start_server: StartServer, tmp_path: Path) -> Server:
    """A server beside which a package with a tool is installed."""
    return start_server(PYTHONPATH=install_package(tmp_path))


@pytest.fixture
def client(server: Server) -> Client:
    """Somebody on that server, with the deterministic model."""
    return Client(server, server.new_key(server.new_user(), test=True))


def listed(client: Client, name: str) -> dict[str, Any]:
    """The tool, once the server has it."""

    def look() -> dict[str, Any] | None:
        response = client.get(f"/tools/{name}")
        return response.json()["data"] if response.ok else None

    return eventually(look, within=30)


def test_a_package_is_listed_searched_executed_and_called_by_an_agent(client: Client) -> None:
    tool = listed(client, "jogging_compute_pace")
    assert (tool["category"], tool["input_schema"]["required"]) == ("datetime", ["km", "minutes"])
    found = data(client.get("/tools", params={"search": "jogging pace of a marathon"}))
    assert found[0]["name"] == "jogging_compute_pace"
    wanted = {"args": {"query": "pace of jogging a marathon", "limit": 1}}
    by_tool = data(client.post("/tools/tool_search/execute", wanted))["result"]
    assert [tool["name"] for tool in by_tool["tools"]] == ["jogging_compute_pace"]
    answer = data(client.post("/tools/jogging_compute_pace/execute", {"args": {"km": 4, "minutes": 20}}))
    assert answer["result"] == {"minutes": 5.0}
    refuse(client.post("/tools/jogging_compute_pace/execute", {"args": {"km": 0, "minutes": 20}}), 400, "km")
    agent = data(
        client.post("/agents", {"agent_name": "Coach", "agent_role": "specialist", "skills": ["jogging_compute_pace"]}),
        201,
    )
    asked = 'Pace, please [[tool: jogging_compute_pace {"km": 8, "minutes": 48}]]'
    run = data(client.post(f"/agents/{agent['id']}/execute", {"message": asked}))
    assert "6" in run["reply"], run
    assert "jogging_compute_pace" in str(run["tools_used"]), run


@pytest.mark.long
def test_a_module_is_noticed_changed_and_removed_while_the_server_runs(server: Server, client: Client) -> None:
    assert "Created" in server.cli("tools", "new", "greeting_say_hello")
    path = server.home / "tools.d" / "greeting_say_hello.py"
    listed(client, "greeting_say_hello")
    assert data(client.post("/tools/greeting_say_hello/execute", ADA))["result"] == {"greeting": "Hello, Ada!"}
    path.write_text(path.read_text().replace("Hello, ", "Good day, "))

    def change() -> bool:
        answer = data(client.post("/tools/greeting_say_hello/execute", ADA))
        return bool(answer["result"] == {"greeting": "Good day, Ada!"})

    eventually(change, within=30)
    broken = path.with_name("broken.py")
    broken.write_text("import retinue.sdk\n\nretinue.sdk.there_is_no_such_thing()\n")
    assert "broken.py: line 3: AttributeError" in server.cli("doctor", status=1)
    eventually(lambda: "broken.py: line 3" in server.log.read_text(), within=30)
    path.with_name("bytes.py").write_bytes(b"\xff")
    eventually(lambda: "bytes.py: " in server.log.read_text(), within=30)
    assert change(), "the other tools stay"
    broken.unlink()
    path.unlink()
    eventually(lambda: client.get("/tools/greeting_say_hello").status_code == 404, within=30)
    listed(client, "jogging_compute_pace")


def test_the_examples_of_a_new_tool_hold(server: Server) -> None:
    server.cli("tools", "new", "greeting_say_hello")
    path = server.home / "tools.d" / "greeting_say_hello.py"
    assert server.cli("tools", "prove", str(path)) == "1 tools, 2 examples\n"
    calling = (
        path.read_text()
        .replace("import About", "import About, ExampleCall")
        .replace('by hand"', 'by hand", before=[_CALL]')
    )
    path.write_text(calling.replace("_CALL", 'ExampleCall("text_count_statistics", {"text": "Ada"})', 1))
    assert server.cli("tools", "prove", str(path)) == "1 tools, 2 examples\n"
    path.write_text(path.read_text().replace('"Hello, Ada!"', '"Hello, Bob!"'))
    assert "Hello, Bob!" in server.cli("tools", "prove", str(path), status=1)
    assert "already exists" in server.cli("tools", "new", "greeting_say_hello", status=1)
    assert "two or more" in server.cli("tools", "new", "Greet", status=1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('category="text",', "", "the category is 'tools_d', and must be one of text, data_formats"),
        ('category="text",', 'category="texts",', "the category is 'texts'"),
        ('tags="greeting say hello"', 'tags=""', "tags and use_when must not be empty"),
        (', About("Who is greeted", "Ada", min_length=1, max_length=100)', ', ""', "argument name needs a description"),
        ("-> GreetingSayHello", "-> str", "the result must be a TypedDict"),
        ("def greeting_say_hello", "async def greeting_say_hello", "a tool that runs inside the server"),
        ("def greeting_say_hello", "def greeting_say_hello(", "SyntaxError"),
        ("@tool", "def tool(**_: object): return lambda one: one\n@tool", "it declares no tool"),
        ('category="text",', 'categories="text",', "line 12: TypeError"),
        ("from retinue.sdk", "raise SystemExit(1)\nfrom retinue.sdk", "line 3: SystemExit"),
    ],
)
async def test_the_problem_of_a_module_is_one_line(old: str, new: str, said: str) -> None:
    assert old in GREETING
    broken = PluginModule("tools_d.greeting", "greeting.py", GREETING.replace(old, new))
    whole = PluginModule("tools_d.whole", "whole.py", GREETING)
    tools, faults = await compile_modules([broken, whole])
    assert [tool.name for tool in tools] == ["greeting_say_hello"]
    assert len(faults) == 1
    assert faults[0].startswith("greeting.py: ")
    assert said in faults[0]
    assert "\n" not in faults[0]


def test_a_name_of_the_catalogue_is_not_given_to_another_tool(server: Server, client: Client) -> None:
    (server.home / "tools.d").mkdir()
    twice = GREETING.replace("greeting_say_hello", "math_evaluate_expression")
    (server.home / "tools.d" / "sums.py").write_text(twice)
    eventually(lambda: "a tool with this name already exists" in server.log.read_text(), within=30)
    assert data(client.post("/tools/math_evaluate_expression/execute", {"args": {"expression": "2+3"}}))["result"]
