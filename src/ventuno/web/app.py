"""The doors put together: middlewares, routes, the socket, the pages; one application for one house."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware

from ventuno import __version__
from ventuno.house.application import CERTIFICATES, Premises
from ventuno.web.http import (
    cashier,
    errors,
    fairness,
    history,
    lobby,
    login,
    me,
    protection,
    records,
    sessions,
    supervision,
)
from ventuno.web.http.pages import STATIC, Pages
from ventuno.web.http.rate_limits import Allowances, Rates
from ventuno.web.http.request_checks import Gate
from ventuno.web.http.rulebook import Certificates
from ventuno.web.http.security import Headers
from ventuno.web.messages import schema
from ventuno.web.odds_room import routes
from ventuno.web.odds_room.calculator import Calculator
from ventuno.web.operations import health
from ventuno.web.operations.logs import Logged
from ventuno.web.operations.metrics import Meters
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets import endpoint
from ventuno.web.sockets.tickets import Tickets

ROUTERS = (login, sessions, me, protection, cashier, lobby, history, fairness, supervision, records, routes)
Opening = Callable[[], Awaitable[Premises]]


def create_app(
    opened: Opening, settings: Settings, allowances: Allowances | None = None, calculator: Sequence[str] = ()
) -> FastAPI:
    """The application of a house that `opened` gives; who opened it closes it, after the application has ended.

    `calculator` is the command of the process that computes odds: it is started when somebody first asks for some.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        premises = app.state.premises = await opened()
        app.state.tickets = Tickets(premises.house.now)
        app.state.rates = Rates(allowances or Allowances.of(settings))
        app.state.certificates = Certificates(premises.folder / CERTIFICATES)
        app.state.solved = routes.Solved(Calculator(calculator), app.state.certificates)
        app.state.board = lobby.Board(premises)
        app.state.figures = fairness.Figures(premises)
        app.state.hub = endpoint.Hub(premises, endpoint.bounds(settings))
        app.state.meters.attach(premises, lambda: app.state.hub)
        lag = asyncio.create_task(app.state.meters.watch_lag(), name="web-lag")
        yield
        lag.cancel()
        with suppress(asyncio.CancelledError):
            await lag
        await app.state.solved.calculator.close()
        await app.state.hub.close("the house is closing")

    meters = Meters()
    app = FastAPI(
        title="Ventuno",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        generate_unique_id_function=_name,
        middleware=[
            Middleware(Logged, counted=meters.request),
            Middleware(Headers, settings=settings),
            Middleware(errors.Faults),
            Middleware(Gate, settings=settings),
        ],
    )
    app.state.settings, app.state.meters = settings, meters
    errors.install(app)
    for module in ROUTERS:
        app.include_router(module.router)
    app.include_router(health.router)
    app.include_router(endpoint.router)
    app.router.default = Pages(settings.pages or STATIC)
    app.openapi = lambda: schema.document(app)  # type: ignore[method-assign]
    return app


def schema_only() -> FastAPI:
    """An application that opens no house: what it says of itself is all that is wanted."""

    async def never() -> Premises:
        raise RuntimeError("this application is for its document alone")

    return create_app(never, Settings())


def _name(route: APIRoute) -> str:
    return route.name
