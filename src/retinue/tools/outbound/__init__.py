"""How tools reach other hosts: HTTP, mail, and sockets that the server opens for them.

`socket_broker` runs in the server and asks the guard. All other modules run in a worker process. Requests of the server
itself do not belong here but in `core.network`.
"""
