"""Chooses the tools to offer a run at each step."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Protocol, TypeVar

from retinue.core.database.statements import Row
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.models.base import Candidate, ToolOffer
from retinue.models.request_classification import RequestClassification
from retinue.runs.context_window import RunConversation
from retinue.runs.run_options import Run
from retinue.runs.tool_selection.access import plan_includes, usable
from retinue.runs.tool_selection.conversation import SEARCH, WeightedMessage, found_tools, recent_messages, used_tools
from retinue.runs.tool_selection.tool_offers import FIND_MORE, candidate_of, named_candidate_of, offer_of, sized_offer
from retinue.skills.tools import NAMES as SKILL_TOOLS
from retinue.skills.tools import RUN_TOOL, SkillTools
from retinue.tools.authoring.libraries import schoolbook
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.trust import SKILL_READ, agent_of, untrusted_source
from retinue.tools.imports.account_catalogue import AccountCatalogue, AnyCatalogue
from retinue.tools.selection.selector import Query, Ranking

TOOL_TOKENS = 1000
"""Limit for the tools that the caller did not name, in tokens of four characters each."""
_MOST_TOOLS = 20
_CANDIDATES = 5
_PLAIN_LEAD, _LEAST_EVIDENCE = 3.0, -2.0
"""The caller is asked to name a tool if its score leads that of every usable tool by the first value, and the
evidence that the request needs a tool is at least the second.
"""
_REMEMBERED = 256
"""Cache size, in texts and in runs. Every step of a run asks for the same scores."""
_LONG = 400
"""Texts longer than this, in characters, are scored on a thread."""
_WINDOW_SHARE = 4
"""Tools take at most one part in `_WINDOW_SHARE` of a model's context window."""

Key = TypeVar("Key")
Value = TypeVar("Value")


AgentTools = Callable[[int, Sequence[int]], Awaitable[list[Tool]]]
"""Returns the tools that call an account's agents with these ids."""


async def _no_agents(account_id: int, ids: Sequence[int]) -> list[Tool]:
    return []


class EmbeddingClassifier(Protocol):
    """The embedding classifier."""

    async def meaning(self, request: str) -> RequestClassification | None:
        """Classify a request. Returns None if the classifier does not run."""
        ...


class ToolSelector:
    """Chooses tools for runs.

    Tools that the caller named are offered as they are. Otherwise, the conversation selects the tools. They must read
    only from this server without running the caller's programs, add to the caller's own workspace, or read from an MCP
    server that its owner trusts. Injected text may try to steer the model, and must find no tool that destroys
    data or sends it out. Once a run has read untrusted content, only tools that read from this server remain.
    """

    def __init__(
        self,
        directory: AccountCatalogue,
        meanings: EmbeddingClassifier | None = None,
        tokens: int = TOOL_TOKENS,
        agent_tools: AgentTools = _no_agents,
        skill_tools: SkillTools | None = None,
    ) -> None:
        self._directory = directory
        self._skill_tools = skill_tools
        self._agent_tools = agent_tools
        self._meanings = meanings
        self._tokens = tokens
        self._understood: OrderedDict[str, RequestClassification] = OrderedDict()
        self._rankings: OrderedDict[tuple[int, int], Ranking] = OrderedDict()
        self._common = lru_cache(2 * _REMEMBERED)(
            lambda name, brief: sized_offer(directory.catalogue.get(name), brief=brief)
        )

    async def to(self, run: Run, thread: RunConversation, window: int) -> list[ToolOffer]:
        """Return the tools for the next call of a model with native tool calling. `window` is in tokens.

        The skills of the run's agent and the agents that it may call always come first.
        """
        of_skills = [offer_of(tool) for tool in await self._tools_of_skills(run)]
        if not run.options.may_execute:
            return of_skills
        if run.options.tools is not None:
            return [*of_skills, *await self.named_tools(run)]
        known = await self._directory.of(run.account_id)
        ranking = await self._ranking(run, thread, known)
        found = found_tools(thread)
        names: Iterable[str] = found
        if ranking.evidence >= 0:
            fitting = (name for name, _ in ranking.tools if run.options.sandbox or name not in schoolbook())
            names = chain(names, used_tools(thread.history), fitting)
        may_be_used = (tool for name in dict.fromkeys(names) if (tool := usable(run, known, name)) and name != SEARCH)
        agents = [offer_of(tool) for tool in await self._agents(run)]
        offers = [*of_skills, *agents, *self._within(may_be_used, found, min(self._tokens, window // _WINDOW_SHARE))]
        return [*offers, FIND_MORE] if self._may_search(run) else offers

    async def named_tools(self, run: Run) -> list[ToolOffer]:
        """Return the tools that the caller named, and the agents that the run's agent may call."""
        if not run.options.may_execute:
            return []
        return [offer_of(tool) for tool in await self._named_tools(run)]

    async def rank(self, run: Run, request: str) -> list[Candidate]:
        """Return the tools that the caller named, with the agents to call, or else the best matches for the request.

        The most likely ones come first.
        """
        if not run.options.may_execute:
            return []
        known = await self._directory.of(run.account_id)
        if run.options.tools is not None:
            return await self._rank_named(run, request, known)
        ranking = await _rank(known, [Query(request)])
        if forbidden := _forbidden_tool(run, known, ranking):
            return [forbidden]
        if (meaning := await self._meaning(run, request)) is not None:
            ranking = await _rank(known, [Query(request, 1.0, meaning.likelihoods)])
        return list(islice(_candidates(run, known, ranking, meaning), _CANDIDATES))

    async def _rank_named(self, run: Run, request: str, known: AnyCatalogue) -> list[Candidate]:
        """Return the tools that the caller named. Those that the classifier knows have a lead."""
        named_tools, meaning = await self._named_tools(run), await self._meaning(run, request)
        ranking = await _rank(known, [Query(request, 1.0, meaning.likelihoods)]) if meaning else None
        if meaning is None or ranking is None or ranking.evidence < 0:
            return [named_candidate_of(tool) for tool in named_tools]
        scores, best = dict(ranking.tools), ranking.tools[0][1]
        leads = {tool.name: ranking.evidence - best + scores[tool.name] for tool in named_tools if tool.name in scores}
        found = [
            named_candidate_of(one, leads.get(one.name), meaning, known.aliases_of(one.name)) for one in named_tools
        ]
        return sorted(found, key=lambda one: -one.lead)

    async def skills(self, run: Run) -> list[Row]:
        """Return the names and descriptions of the skills of the run's agent."""
        if self._skill_tools is None:
            return []
        return await self._skill_tools.find_skills(run.account_id, run.options.agent_skills)

    async def _tools_of_skills(self, run: Run) -> list[Tool]:
        """Return the tools for the skills of the run's agent.

        Reading them needs no permission, as they are its instructions. Running their scripts does.
        """
        options = run.options
        if not (self._skill_tools and options.agent_skills):
            return []
        may_run = options.may_execute and options.tools != [] and plan_includes(run, RUN_TOOL)
        return await self._skill_tools.tools(run.account_id, options.agent_skills, may_run=may_run)

    async def credits_of(self, run: Run, name: str) -> int:
        """Return the price of one call of the tool, in credits."""
        if name == RUN_TOOL.name:
            return RUN_TOOL.credits
        known = await self._directory.naming(run.account_id, [name])
        return known.get(name).credits if name in known else 0

    async def find(self, run: Run, name: str, *, offered: bool = True) -> Tool | None:
        """Return the tool for a model's call, or None if the run may not use it.

        A tool that the caller did not name must have been `offered` to the model.
        """
        tool_names = run.options.tools
        if name in SKILL_TOOLS:
            return next((tool for tool in await self._tools_of_skills(run) if tool.name == name), None)
        if run.options.may_execute and agent_of(name) in run.options.agents:
            return next(iter(await self._agent_tools(run.account_id, [agent_of(name) or 0])), None)
        if not run.options.may_execute or (tool_names is not None and name not in tool_names):
            return None
        known = await self._directory.naming(run.account_id, [name])
        if tool_names is None:
            return usable(run, known, name) if offered else None
        tool = known.get(name) if name in known else None
        return tool if tool and plan_includes(run, tool) else None

    async def refusal(self, run: Run, name: str) -> str:
        """Return the reason why the run may not call the tool, for the model to pass on to its user."""
        refusal = f"There is no tool {name!r} among those offered."
        known = await self._directory.naming(run.account_id, [name])
        if name not in known:
            return refusal
        if run.options.tools is None and run.options.may_execute and usable(run, known, name):
            return f"{refusal} Find it with {SEARCH} first, or ask the user to name it in `tools`."
        if run.options.tools is None and run.untrusted:
            return (
                f"{refusal} The conversation contains untrusted content ({run.untrusted}), so only tools that read "
                "from this server may be used. The caller must name any other tool in `tools`."
            )
        return f"{refusal} The caller must name it in `tools`, with a scope and a plan that allow it."

    async def untrusted_source(self, run: Run, name: str, arguments: object) -> str | None:
        """Return a description of the untrusted content in a tool's result, or None if it has none.

        A tool that no longer exists was an imported one. What a called agent read stands in the run itself.
        """
        if agent_of(name) is not None or name == SKILL_READ:
            return None
        known = await self._directory.naming(run.account_id, [name])
        return untrusted_source(known.get(name), arguments) if name in known else f"result of {name}"

    async def _named_tools(self, run: Run) -> list[Tool]:
        names = run.options.tools or []
        known = await self._directory.naming(run.account_id, names)
        found = [known.get(name) for name in names if name in known]
        return [*(tool for tool in found if plan_includes(run, tool)), *await self._agents(run)]

    async def _agents(self, run: Run) -> list[Tool]:
        return await self._agent_tools(run.account_id, run.options.agents) if run.options.agents else []

    async def _ranking(self, run: Run, thread: RunConversation, known: AnyCatalogue) -> Ranking:
        """Return the ranking for a run, cached because all its steps share one message and history."""
        key = run.id, run.epoch
        if (ranking := self._rankings.get(key)) is None:
            messages = recent_messages(run.message, thread.history)
            queries = await asyncio.gather(*(self._query(run, one) for one in messages))
            ranking = _remember(self._rankings, key, await _rank(known, queries))
        return ranking

    async def _query(self, run: Run, message: WeightedMessage) -> Query:
        meaning = await self._meaning(run, message.text) if message.by_user else None
        return Query(message.text, message.weight, meaning.likelihoods if meaning else None)

    async def _meaning(self, run: Run, text: str) -> RequestClassification | None:
        """Classify a text. Sandbox runs skip it, so that their results do not depend on an installed classifier."""
        if run.options.sandbox or self._meanings is None:
            return None
        if cached := self._understood.get(text):
            return cached
        meaning = await self._meanings.meaning(text)
        return _remember(self._understood, text, meaning) if meaning else None

    def _within(self, tools: Iterable[Tool], found: Collection[str], tokens: int) -> Iterator[ToolOffer]:
        """Yield tools until their size exceeds `tokens`. All but the first and those that a search `found` are brief:
        `tool_search` and `tool_describe` tell more.
        """
        for place, tool in enumerate(islice(tools, _MOST_TOOLS)):
            brief = place > 0 and tool.name not in found
            common = tool.name in self._directory.catalogue
            offer, size = self._common(tool.name, brief) if common else sized_offer(tool, brief=brief)
            tokens -= size
            if tokens < 0:
                return
            yield offer

    def _may_search(self, run: Run) -> bool:
        return SEARCH in self._directory.catalogue and not {"*", "tools:read"}.isdisjoint(run.options.scopes)


def _candidates(
    run: Run, known: AnyCatalogue, ranking: Ranking, meaning: RequestClassification | None
) -> Iterator[Candidate]:
    """Yield the tools that the request may mean, or nothing if it needs no tool."""
    if ranking.evidence < 0:
        return
    best = ranking.tools[0][1]
    for name, score in ranking.tools:
        if tool := usable(run, known, name):
            yield candidate_of(tool, ranking.evidence - best + score, meaning, known.aliases_of(name))


def _forbidden_tool(run: Run, known: AnyCatalogue, ranking: Ranking) -> Candidate | None:
    """Return the tool that the request clearly means, if its caller would have to name it."""
    if ranking.evidence < _LEAST_EVIDENCE:
        return None
    name, best = ranking.tools[0]
    if usable(run, known, name) or not plan_includes(run, tool := known.get(name)):
        return None
    other = next((score for one, score in ranking.tools if usable(run, known, one)), best)
    return candidate_of(tool, best - other, allowed=False) if best - other >= _PLAIN_LEAD else None


async def _rank(known: AnyCatalogue, queries: Sequence[Query]) -> Ranking:
    """Rank the catalogue for the queries. The ranking has no tools if the conversation clearly needs none."""
    if sum(len(query.text) for query in queries) > _LONG:
        return await run_on_compute_thread(known.rank, queries, _LEAST_EVIDENCE)
    return known.rank(queries, _LEAST_EVIDENCE)


def _remember(cache: OrderedDict[Key, Value], key: Key, value: Value) -> Value:
    cache[key] = value
    if len(cache) > _REMEMBERED:
        cache.popitem(last=False)
    return value
