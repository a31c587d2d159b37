"""Resources that offer an assistant fixed tools."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from retinue.language.reply_templates import ReplyTemplates
from retinue.models.base import Candidate, ToolOffer


class FixedTools:
    """Offers these tools for every request, and recalls nothing."""

    today = date(2026, 11, 29)
    moment = datetime(2026, 11, 29, 15, 30, tzinfo=UTC)
    first_message = ""
    remembered_facts: Sequence[str] = ()

    def __init__(self, *tools: ToolOffer) -> None:
        self._tools = tools

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        """Return the tools."""
        return [Candidate(tool) for tool in self._tools]

    async def reply_templates(self, tool: str, language: str) -> ReplyTemplates:
        """Return nothing."""
        return ReplyTemplates(language, {})

    async def saved_answer(self, request: str) -> str:
        """Return nothing."""
        return ""

    async def recall(self, request: str) -> Sequence[str]:
        """Return nothing."""
        return []

    async def similarities(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return nothing."""
        return []
