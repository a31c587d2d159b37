"""Skills: import them, read their files, see which agents have them, replace and delete them.

Choosing skills for an agent belongs to `agents`.
"""
