"""The composition root: creates and connects the parts of the server.

`platform` holds the parts that live as long as the process, `services` builds the services that routes and pages
call, `on_behalf` builds the services for work without a request, and `lifecycle` starts and stops the parts.
`retention` lists the records to remove by age, `routes` the endpoints beside the API. `platform_api` is what a tool can
do for its account beyond the workspace, and `readiness` reports the state of the parts. The rules of a resource do not
belong here.
"""
