"""Watching runs: events for clients from any node, in order, and nothing twice.

Here belongs what reads a run for others. It writes nothing of a run but the unfinished reply for listeners elsewhere,
and decides nothing; the run itself is carried out in `execution`.
"""
