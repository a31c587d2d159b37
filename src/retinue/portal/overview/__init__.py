"""The overview page: current activity, recent usage and next steps.

Content with a page of its own is only linked from here.
"""
