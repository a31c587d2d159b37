"""Run tools: the pool of confined worker processes, and the tools that run inside the server.

`pool`, `worker_group` and `process` run in the server. `worker`, `sandbox` and `privileges` run in the worker process,
which has no access to the server. Neither knows the catalogue.
"""
