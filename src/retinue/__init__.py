"""Retinue: a self-hosted AI agent platform.

Each package below is one domain, and imports go one way: `docs/architecture.md` lists the layers. Modules at this
level put the domains together; what has a domain does not belong here.
"""

__version__ = "0.1.0"
