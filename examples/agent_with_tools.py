"""Give an agent two tools, ask it a question, and read which calls it made.

Reads RETINUE_URL and RETINUE_API_KEY.
"""

from retinue_client import Retinue


def main() -> None:
    """Create the agent, execute it and delete it."""
    with Retinue() as client:
        agent = client.agents.create(
            agent_name="Netwatch",
            agent_role="specialist",
            instructions="You answer questions on computer networks. Compute every number with a tool.",
            skills=["network_calculate_subnet", "ip_describe_address"],
        )
        try:
            # In the background, the run continues after a crash of the server, and this program may wait elsewhere.
            started = client.agents.execute(
                agent.id, message="How many usable hosts does 172.16.8.0/21 have?", background=True
            )
            run = client.runs.wait(started.id)
            print(run.reply)

            # Every step of the run is stored: answers of the model, and calls with their arguments and results.
            for step in run.steps:
                if step.type == "tool":
                    print(f"{step.tool}({step.arguments}): {step.status} after {step.duration_ms} ms")
        finally:
            client.agents.delete(agent.id)


if __name__ == "__main__":
    main()
