"""Settings of the user.

Settings of the server do not belong here: they come from its environment.
"""
