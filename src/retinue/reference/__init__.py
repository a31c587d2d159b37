"""The reference of the API for people and for programs: the page at /docs, and the OpenAPI document."""

from retinue.reference.routes import Reference

__all__ = ["Reference"]
