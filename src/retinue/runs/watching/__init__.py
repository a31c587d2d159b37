"""Watching runs: streams events to clients from any node, in order and without duplicates.

Code that reads a run for clients belongs here. It writes only the unfinished reply, for listeners on other nodes.
Executing the run belongs to `execution`.
"""
