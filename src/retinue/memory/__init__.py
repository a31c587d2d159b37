"""Facts that agents remember across conversations: stored, listed, searched by words and meaning, and corrected.

Putting them into prompts and extracting them from conversations belongs to `runs`. The facts of the tools `memory_*`
belong to `workspace`.
"""
