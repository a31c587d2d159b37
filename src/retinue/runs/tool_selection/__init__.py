"""Tool selection: which tools a run may use, and which of them to offer its model next.

Choosing and describing tools belongs here. Executing calls belongs to `execution`, and ranking the catalogue by words
to `retinue.tools.selection`.
"""
