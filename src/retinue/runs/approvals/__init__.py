"""Approvals: tool calls that wait for a person's decision while their run is paused.

Everything between the question and the decision belongs here, with its routes and statements. The run's work before
and after it does not; see `execution`.
"""
