"""Voice: telephone calls, rooms and speech engines, and the environment for their libraries and models.

Speech tools, which work without a call, do not belong here but in `tools.speech`.
"""
