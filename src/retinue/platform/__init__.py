"""The composition root: creates and connects the parts of the server.

`resources` lists what each package adds to the server, and `resource_declaration` says what that can be. `platform`
creates the parts that several resources share, `lifecycle` starts and stops everything, and `on_behalf` builds the
services for work without a request. `platform_api` is what a tool can do for its account beyond the workspace, and
`readiness` reports the state of the parts. The rules of a resource do not belong here.
"""
