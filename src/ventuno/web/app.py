"""The doors put together: middlewares, routes, the socket, the pages; one application for one house."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware

from ventuno import __version__
from ventuno.house.premises import CERTIFICATES, Premises
from ventuno.web import errors, health, schema, sockets
from ventuno.web.api import cashier, entry, fairness, lobby, me, odds, past, protection, records, sessions, supervision
from ventuno.web.calculator import Calculator
from ventuno.web.gate import Gate
from ventuno.web.logs import Logged
from ventuno.web.metrics import Meters
from ventuno.web.pages import STATIC, Pages
from ventuno.web.rates import Allowances, Rates
from ventuno.web.rulebook import Certificates
from ventuno.web.security import Headers
from ventuno.web.settings import Settings
from ventuno.web.tickets import Tickets

ROUTERS = (entry, sessions, me, protection, cashier, lobby, past, fairness, supervision, records, odds)
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
        app.state.solved = odds.Solved(Calculator(calculator), app.state.certificates)
        app.state.board = lobby.Board(premises)
        app.state.figures = fairness.Figures(premises)
        app.state.hub = sockets.Hub(premises, sockets.bounds(settings))
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
    app.include_router(sockets.router)
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
