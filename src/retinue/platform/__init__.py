"""The composition root: which parts the server is made of, and how they are put together.

`platform` holds every part that lives as long as the process, `services` builds from them what a route or a page calls,
`on_behalf` what works for an account without a request, and `lifecycle` starts and stops them. `retention` lists what
is removed when it is old, `routes` what is served beside the API. No rule of a resource belongs here.
"""
