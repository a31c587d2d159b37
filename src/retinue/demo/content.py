"""The records of the demo, and the marks by which it finds them again."""

from collections.abc import Mapping
from importlib.resources import files

from retinue.agents.schemas import AgentCreate
from retinue.knowledge.schemas import CollectionCreate, DocumentCreate
from retinue.schedules.schemas import ScheduleCreate

PREFIX = "Demo: "
"""All names and titles of the demo begin with this. A record that its owner renames is the owner's from then on."""

MARK: Mapping[str, str] = {"demo": "retinue"}
"""The metadata of the agent and of the documents."""

AGENT = f"{PREFIX}Guide to Retinue"
COLLECTION = f"{PREFIX}Guides of Retinue"
SCHEDULE = f"{PREFIX}Tip of the week"
QUESTION = f"{PREFIX}Which files can a collection hold?"
"""The first message of the conversation, short enough to be its title."""

_GUIDES = ("how-to", "knowledge", "schedules")
_INSTRUCTIONS = (
    "You explain Retinue to people who have just installed it. Answer from the guides in one to three plain sentences. "
    "If the guides do not have the answer, say so."
)


def is_marked(metadata: Mapping[str, object] | None) -> bool:
    """Return whether metadata has the mark of the demo."""
    return MARK.items() <= (metadata or {}).items()


def new_collection() -> CollectionCreate:
    """The collection of the documents."""
    about = "Part of the demo: three guides that come with the server. Remove the demo on the page Start here."
    return CollectionCreate(name=COLLECTION, description=about)


def new_documents() -> list[DocumentCreate]:
    """The documents: guides as they come with the server."""
    guides = files("retinue").joinpath("reference/guides")
    texts = [guides.joinpath(f"{name}.md").read_text() for name in _GUIDES]
    return [
        DocumentCreate(text=text, title=text.partition("\n")[0].removeprefix("# "), metadata=dict(MARK))
        for text in texts
    ]


def new_agent(collection_id: int) -> AgentCreate:
    """The agent that answers from the collection."""
    return AgentCreate(
        agent_name=AGENT,
        agent_role="specialist",
        instructions=_INSTRUCTIONS,
        knowledge=[collection_id],
        metadata=dict(MARK),
    )


def new_schedule(agent_id: int) -> ScheduleCreate:
    """The schedule. It is paused, so that nothing runs before its owner wants it."""
    message = "Name one thing about schedules that is worth knowing, in one sentence."
    return ScheduleCreate(name=SCHEDULE, cron="0 9 * * MON", agent_id=agent_id, message=message, enabled=False)
