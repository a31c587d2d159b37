"""Voice: speech engines, and the environment that their libraries and models are installed in.

Speech for tools, which needs no call, does not belong here but to `tools.speech`.
"""
