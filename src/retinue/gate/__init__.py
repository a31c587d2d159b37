"""The one layer in front of every request: its id, its caller, its limits, and the errors it may end in.

It knows no resource: what an operation does does not belong here.
"""
