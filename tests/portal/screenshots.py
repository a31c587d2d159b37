"""Takes the pictures of the portal in docs/screenshots, of a server with a few agents: `make screenshots`."""

import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, Page
from pysqlite3 import dbapi2 as sqlite

from tests.auth.signing_in import PASSWORD
from tests.portal.chromium import DESKTOP, PHONE, Theme, Visitor, running_chromium
from tests.portal.reader import Reader
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer, running_model_server
from tests.support.server import Server
from tests.support.waiting import eventually

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
_LARGEST = 200_000
Act = Callable[[Page], None]

SHARE = "Of 4,250 orders, 17 are late: that is **0.4 %**.\n\n- 4,233 orders left on time\n- 11 of the late ones wait for a label\n- 6 were picked up a day later\n\nShall I write to the six customers?"  # noqa: E501
PARTS = [
    "Three carriers were late in November, and all three on **days of rain**.\n\n1. North: 9 orders\n2. Coast: 5 orders\n3. City: 3 orders",  # noqa: E501
    "Late orders cost **€ 318** in refunds this month, a third less than in October.",
    "The figures fit the ledger. One order is counted twice: *4203*.",
    "Late orders fell by a third. Rain explains most of them; a second pickup on the coast would have saved five. "
    "Order *4203* was counted twice and is taken out.",
]


def main() -> None:
    """Start a server, fill it, and write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_model_server(ModelServer) as model, running_chromium() as browser:  # fmt: skip  # noqa: E501
        model_name = {"RETINUE_MODEL_URL": model.url, "RETINUE_MODEL_NAME": "stand-in"}
        server = Server(Path(folder), model_name).start()
        reader, client = Reader(server).sign_in_by_link("owner@localhost", PASSWORD), Client(server, server.first_key)
        places = fill(client, model)
        server.stop()
        add_history(server)
        server.start()
        take_all(browser, server, reader, model, places)
        client.close()
        server.stop()


def fill(client: Client, model: ModelServer) -> dict[str, str]:
    """Agents, a run with tools, and a fleet that was deployed; returns the paths of what is shown."""
    fleet = data(client.post("/fleets", {"name": "Quarterly review", "max_agents": 5}), 201)["id"]
    for name, role in (("Netwatch", "specialist"), ("Translator", "generalist")):
        data(client.post("/agents", {"agent_name": name, "agent_role": role, "skills": []}), 201)
    crew = [("Review lead", "leader"), ("Order desk", "specialist"), ("Bookkeeper", "specialist"), ("Proof reader", "reviewer")]  # noqa: E501  # fmt: skip
    ids = [
        data(client.post("/agents", {"agent_name": name, "agent_role": role, "fleet_id": fleet,
             "task": "Look after the orders of the week", "skills": ["percent_solve_share", "table_sort_rows"]}), 201)["id"]  # noqa: E501
        for name, role in crew
    ]  # fmt: skip
    model.answers.extend(
        [
            Answer(tool="percent_solve_share", arguments={"part": 17, "whole": 4250}),
            Answer(tool="table_sort_rows", arguments={"table": "order,days\n4182,2\n4190,1\n4203,4", "column": "days"}),
            Answer(text=SHARE),
        ]
    )
    run = data(client.post(f"/agents/{ids[1]}/execute", {"message": "Which orders are late, and how many are that of all?"}))["run_id"]  # noqa: E501  # fmt: skip
    model.answers.extend(Answer(text=text) for text in ("1. Look at the carriers\n2. Look at the costs", *PARTS))
    order = {"task": "Say how late orders developed this month, and what they cost", "strategy": "parallel"}
    deployment = data(client.post(f"/fleets/{fleet}/deploy", order))["deployment_id"]
    board = f"/fleets/{fleet}/deployments/{deployment}"
    with suppress(AssertionError):
        eventually(lambda: data(client.get(board))["status"] == "completed")
    for question in ("What does RFC 9110 say about 404?", "Translate: late order", "How many hosts has 172.16.8.0/21?"):
        data(client.post("/chat", {"message": question}))
    return {"run": f"/runs/{run}", "board": board, "agent": f"/agents/{ids[1]}"}


def add_history(server: Server) -> None:
    """Use of the last month, as it would have been written day by day."""
    numbers = random.Random(7)
    today = datetime.now(UTC).date()
    with sqlite.connect(server.home / "retinue.db") as connection:
        ((account,),) = connection.execute("SELECT id FROM accounts WHERE sandbox = 0 LIMIT 1").fetchall()
        for ago in range(1, 30):
            day = today - timedelta(days=ago)
            for resource, usual in (("chat", 320), ("agents", 190), ("tools", 260)):
                count = round(usual * numbers.uniform(0.7, 1.3) * (0.45 if day.weekday() > 4 else 1) * (1.2 - ago / 60))
                row = {"account_id": account, "day": day.isoformat(), "resource": resource, "count": count,
                       "errors": count // 170, "tokens": count * 410, "credits": 0, "milliseconds": count * 900}  # fmt: skip  # noqa: E501
                names = ", ".join(f'"{name}"' for name in row)
                marks = ", ".join("?" for _ in row)
                connection.execute(f"INSERT OR REPLACE INTO usage_days ({names}) VALUES ({marks})", list(row.values()))
    connection.close()


def take_all(browser: Browser, server: Server, reader: Reader, model: ModelServer, places: dict[str, str]) -> None:
    """Every picture."""

    def take(name: str, path: str, act: Act | None = None, theme: Theme = "light", size: tuple[int, int] = DESKTOP, token: str = reader.token) -> None:  # noqa: E501  # fmt: skip
        visitor = Visitor.arrive(browser, server, token, theme, size)
        page = visitor.open(path)
        if act:
            act(page)
        page.wait_for_load_state("networkidle") if not act else page.wait_for_timeout(600)
        page.wait_for_timeout(300)
        picture = page.screenshot(path=FOLDER / f"{name}.png")
        assert len(picture) <= _LARGEST, (name, len(picture))
        visitor.leave()

    def chat(page: Page) -> None:
        model.answers.extend(
            [Answer(tool="percent_solve_share", arguments={"part": 17, "whole": 4250}), Answer(text=SHARE)]
        )
        page.get_by_label("Message", exact=True).fill("17 of 4,250 orders are late. How many per cent is that?")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Steps").wait_for()

    def pick(page: Page) -> None:
        page.get_by_role("textbox", name="Name").fill("Order desk")
        page.get_by_role("textbox", name="Task").fill("Look for late orders every morning")
        page.get_by_role("searchbox", name="Search tools by what").fill("sort a table")
        page.locator("[data-pick=table_sort_rows]").click()

    def try_tool(page: Page) -> None:
        page.get_by_role("button", name="Run the tool").click()
        page.get_by_role("heading", name="Result").wait_for()

    def search(page: Page) -> None:
        page.keyboard.press("/")
        page.keyboard.type("order")
        page.locator("#palette .goals a", has_text="Order desk").wait_for()

    def settle(page: Page) -> None:
        page.get_by_text("Latest runs").wait_for()

    take("sign-in", "/sign-in", token="")
    take("overview", "/overview", settle)
    take("overview-dark", "/overview", settle, "dark")
    take("playground", "/playground", chat)
    take("agent", "/agents/new", pick)
    take("run", places["run"], lambda page: page.get_by_text("Arguments and result").first.click())
    take("fleet-dark", places["board"], None, "dark")
    take("tool", "/tools/percent_solve_share", try_tool)
    take("palette-dark", places["agent"], search, "dark")
    take("phone", "/overview", settle, "light", PHONE)
    take("phone-playground-dark", "/playground", chat, "dark", PHONE)


if __name__ == "__main__":
    main()
