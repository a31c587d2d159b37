"""Tool selection: which tools a run may use, and which of them its model is shown next.

Here belongs what chooses and describes tools. Carrying calls out does not belong here but to `execution`, and ranking
the catalogue by words to `retinue.tools.selection`.
"""
