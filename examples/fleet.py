"""Let three agents work on one task, and follow them live.

Reads RETINUE_URL and RETINUE_API_KEY.
"""

import sys
from typing import Literal

from retinue_client import Retinue

ROLES: dict[Literal["leader", "specialist", "reviewer"], str] = {
    "leader": "You see the whole, and merge the work of others into one short text.",
    "specialist": "You know databases. Name concrete risks, each with a way to reduce it.",
    "reviewer": "You check a text for gaps and contradictions, and correct it.",
}


def main() -> None:
    """Create the fleet, deploy it, print its events and its result, and delete it with its agents."""
    task = sys.argv[1] if len(sys.argv) > 1 else "Name the risks of moving our database."
    with Retinue() as client:
        fleet = client.fleets.create(name="Risk review")
        agents = [
            client.agents.create(agent_name=role.title(), agent_role=role, instructions=text, fleet_id=fleet.id)
            for role, text in ROLES.items()
        ]
        try:
            deployment = client.fleets.deploy(fleet.id, task=task, strategy="parallel", timeout=600)
            for event in client.fleets.deployments.watch(fleet.id, deployment.deployment_id):
                if event.type == "part_end":
                    print(f"{event.kind} of agent {event.agent_id}: {event.status}")
            ended = client.fleets.deployments.retrieve(fleet.id, deployment.deployment_id)
            print(ended.status, ended.error or "")
            if ended.result:
                print(ended.result.reply)
        finally:
            client.fleets.delete(fleet.id)
            for agent in agents:
                client.agents.delete(agent.id)


if __name__ == "__main__":
    main()
