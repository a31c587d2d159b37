"""The first page: what is going on, what has been used, and what to do next.

Anything with a page of its own is only linked from here, not shown in full.
"""
