"""Pages of simulations: the list, the form with a few scenarios, and the results.

The chats and runs of their conversations are not part of this package; see `portal.playground` and `portal.runs`.
"""
