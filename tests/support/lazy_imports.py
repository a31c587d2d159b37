"""Imports packages when they are first used: those of model providers take seconds, in every worker."""

import importlib.util
import sys
from types import ModuleType


def import_lazily(name: str) -> ModuleType:
    """Return a module that is executed at the first access to an attribute."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    assert spec, f"{name} is not installed"
    assert spec.loader
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
