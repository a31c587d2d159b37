"""Tool selection: which tools of hundreds a conversation needs, or none. `docs/tool-selection.md` describes it."""
