"""One set of routes for all applications of a test process.

What each call takes and gives is worked out anew for every application, when it is first asked: more work than most
tests are. Nothing of it depends on the house, so those that come later take over what the first one has worked out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from starlette.routing import BaseRoute

_KEPT: dict[int, BaseRoute] = {}
_OVERRIDES: dict[Callable[..., Any], Callable[..., Any]] = {}


def shared(app: FastAPI) -> FastAPI:
    """The application with the routes of the first one; what the test before it has overridden is as it was."""
    _OVERRIDES.clear()
    app.dependency_overrides = _OVERRIDES
    app.router.routes[:] = [_kept(route) for route in app.router.routes]
    return app


def _kept(route: BaseRoute) -> BaseRoute:
    """A router's own; the document, which speaks for one application, stays as it is."""
    router = getattr(route, "original_router", None)
    return route if router is None else _KEPT.setdefault(id(router), route)
