"""Approvals: tool calls that wait for a person, setting their run aside, and what the person decides.

Here belongs what happens between the question and the decision, with its routes and statements. What the run does
before and after it does not belong here but to `execution`.
"""
