"""Retinue: a self-hosted AI agent platform.


Each package is one domain, and imports go in one direction: `docs/architecture.md` lists the layers. The modules at
this level combine the domains; code that belongs to one domain does not belong here.
"""

__version__ = "0.1.0"
