"""Tool selection: which tools a run may use, and which of them its model is shown next.

Here belongs what chooses and describes tools. Carrying calls out is in `execution`; ranking the catalogue by words is
in `retinue.tools.selection`.
"""
