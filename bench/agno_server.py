"""Agno AgentOS with SQLite and twenty agents on the instant model. Arguments: the port and the model's URL."""

import sys

import uvicorn
from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.openai import OpenAIChat
from agno.os import AgentOS
from agno.registry import Registry
from fastapi import FastAPI

from bench.figures import AGENTS


def build(model_url: str) -> FastAPI:
    """Build the application, with its database in the current folder."""
    database = SqliteDb(db_file="agno.db")

    def model() -> OpenAIChat:
        return OpenAIChat(id="mock", api_key="unused", base_url=model_url)

    agents = [
        Agent(
            id=f"bench-{number}",
            name=f"bench-{number}",
            model=model(),
            db=database,
            telemetry=False,
            instructions="You are terse.",
        )
        for number in range(AGENTS)
    ]
    system = AgentOS(id="bench", agents=agents, db=database, telemetry=False, registry=Registry(models=[model()]))
    app: FastAPI = system.get_app()
    return app


if __name__ == "__main__":
    uvicorn.run(build(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
