"""Executes the operator's commands, in the running server if there is one.

A second process may not open the embedded database, and the server's caches must see every change. So a command goes
through a socket in the data folder that only its user can open. Without a server, the command's process executes it.

`client` imports nothing of the server: most commands are done once the server has answered. `server_load` and
`cluster_nodes` describe all servers on one database.
"""
