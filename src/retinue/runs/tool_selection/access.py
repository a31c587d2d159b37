"""Decides which tools a run may use that its caller did not name."""

from retinue.auth.plans import tier_includes
from retinue.runs.run_options import Run
from retinue.sandbox import system_requirements
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.imported_tool import McpTool
from retinue.tools.catalogue.trust import acts
from retinue.tools.imports.account_catalogue import AnyCatalogue


def usable(run: Run, known: AnyCatalogue, name: str) -> Tool | None:
    """Return the tool if a run may use it although its caller did not name it, else None.

    Once the run has read untrusted content, it may only use tools that read from this server.
    """
    tool = known.get(name) if name in known else None
    if tool is None or not plan_includes(run, tool) or not harmless(tool):
        return None
    return None if run.untrusted and acts(tool) else tool


def harmless(tool: Tool) -> bool:
    """Return whether a tool only reads or adds to the workspace, runs no program of the caller, and reaches only
    services that the account trusts.
    """
    if may_write(tool):
        return True
    if isinstance(tool, McpTool):
        return tool.read_only  # A hint, which is set only if the source's owner trusts the server.
    runs_here = not tool.needs or not (tool.inside or system_requirements.describe_missing(tool.needs))
    return tool.read_only and not tool.open_world and runs_here


def may_write(tool: Tool) -> bool:
    """Return whether a tool adds to the caller's own workspace and can do so without deleting or overwriting."""
    writes = tool.inside and tool.category == "workspace" and not (tool.read_only or tool.open_world)
    return writes and (not tool.destructive or bool(tool.destroys_when))


def plan_includes(run: Run, tool: Tool) -> bool:
    """Return whether the account's plan includes the tool."""
    return tier_includes(run.options.tier, tool.tier)
