"""Agents: the list, the form to create and change one, and one agent with its runs."""
