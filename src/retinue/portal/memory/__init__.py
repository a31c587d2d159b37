"""The memory of agents: list, search, add, change and delete the facts that they remember.

The choice of what an agent remembers is in the form of `agents`. The facts of the tools `memory_*` have no page.
"""
