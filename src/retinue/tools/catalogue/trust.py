"""Classifies tools by trust: which results are untrusted content, and which calls act.

Untrusted content is text that neither the owner of the account nor the platform wrote: web pages, e-mails, results of
imported tools, contents of files and documents, and replies of other agents. It may contain instructions, and a model
may follow them.
"""

import re
from collections.abc import Iterable, Mapping

from retinue.files.file_access import named_files
from retinue.tools.authoring.tool import Tool, names_files
from retinue.tools.catalogue.imported_tool import A2aTool, ImportedTool, McpTool

RECEIPTS = frozenset({
    "agent_list", "agent_run_task", "email_move_imap", "email_send_smtp", "file_copy", "file_delete", "file_import",
    "file_info", "file_list", "file_move", "file_write", "fleet_list", "fleet_run_task", "folder_show_tree",
    "git_commit_changes", "git_init_repository", "git_restore_files", "git_switch_branch", "knowledge_add_document",
    "knowledge_list", "knowledge_remove", "notify_chat_webhook", "notify_discord_webhook", "notify_ntfy",
    "notify_slack_webhook", "notify_teams_webhook", "notify_telegram", "notify_webhook",
})  # fmt: skip
"""Tools that reach other systems, documents or agents, whose results contain nothing but names and acknowledgements."""

OWN_RECORDS = frozenset({
    "bookmark", "calendar", "checklist", "contact", "expense", "flashcard", "kv", "memory", "note", "queue", "table",
    "task", "template", "time", "tool", "usage", "workspace",
})  # fmt: skip
"""First words of the names of tools of the platform whose results are records that the account wrote itself."""

SKILL_READ = "skill_read"
"""The tool whose results are instructions: the owner of the account imported them, and chose them for the agent."""

_AGENT = re.compile(r"agent_[1-9][0-9]{0,18}")
_PLACES = ("url", "path", "file", "document", "host", "domain")
_CHARACTERS = 120


def agent_of(name: str) -> int | None:
    """Return the id of the agent that a tool of this name calls, or None for any other tool."""
    return int(name.removeprefix("agent_")) if _AGENT.fullmatch(name) else None


def is_imported(tool: Tool) -> bool:
    """Return whether the account imported the tool from an API, an MCP server or an agent."""
    return isinstance(tool, ImportedTool | McpTool | A2aTool)


def reads_outside(tool: Tool) -> bool:
    """Return whether results contain content from outside the account. A call of an agent itself tells what its run
    read.
    """
    sends_only = tool.name in RECEIPTS or agent_of(tool.name) is not None
    return is_imported(tool) or (tool.open_world and not sends_only)


def reads_documents(tool: Tool) -> bool:
    """Return whether results contain contents of the account's files and documents, or replies of other agents.

    So do the results of a tool of the platform that is in neither of the lists above.
    """
    is_listed = tool.name in (*RECEIPTS, SKILL_READ) or tool.name.partition("_")[0] in OWN_RECORDS
    return tool.inside and not is_listed and agent_of(tool.name) is None


def acts(tool: Tool) -> bool:
    """Return whether calls change something or reach external systems, which includes the URL of a page to read."""
    return not tool.read_only or tool.open_world or is_imported(tool)


def combines_reading_and_acting(tools: Iterable[Tool]) -> bool:
    """Return whether content from outside could make an agent with these tools change something, or disclose data.

    Such an agent reads content from outside, and also changes something or reads the account's own data.
    """
    tools = list(tools)
    uses_account = any(not tool.read_only or tool.inside or names_files(tool.input_schema) for tool in tools)
    return uses_account and any(map(reads_outside, tools))


def untrusted_source(tool: Tool, args: object) -> str | None:
    """Return a description of the untrusted content in the result of a call, or None if it has none."""
    args = args if isinstance(args, Mapping) else {}
    reads_file = not tool.open_world and named_files(tool.input_schema, args)
    if not (reads_file or reads_outside(tool) or reads_documents(tool)):
        return None
    places = (value for name in _PLACES if isinstance(value := args.get(name), str) and value)
    place = "".join(filter(str.isprintable, next(places, "")))[:_CHARACTERS]
    kind = "web page" if tool.category == "web" else tool.name
    return f"{kind} {place}" if place else f"result of {tool.name}"
