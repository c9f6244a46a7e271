"""The doors put together: middlewares, routes, the socket, the pages; one application for one house."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.middleware import Middleware

from ventuno import __version__
from ventuno.house.application import Application
from ventuno.house.config import CERTIFICATES
from ventuno.web.http import (
    cashier,
    console,
    errors,
    fairness,
    guide,
    history,
    lobby,
    login,
    me,
    protection,
    records,
    sessions,
    studio,
    supervision,
)
from ventuno.web.http.pages import STATIC, Pages
from ventuno.web.http.rate_limits import RateLimiter, RateLimits
from ventuno.web.http.request_checks import RequestChecks
from ventuno.web.http.rulebook import Certificates
from ventuno.web.http.security import HeadersMiddleware
from ventuno.web.messages import asyncapi, schema
from ventuno.web.odds_room import routes
from ventuno.web.odds_room.calculator import Calculator
from ventuno.web.operations import health
from ventuno.web.operations.logs import LogMiddleware
from ventuno.web.operations.mail import Mailer
from ventuno.web.operations.metrics import Metrics
from ventuno.web.operations.settings import Settings
from ventuno.web.operations.traces import TraceMiddleware, start
from ventuno.web.sockets import endpoint
from ventuno.web.sockets.hub import Hub
from ventuno.web.sockets.tickets import Tickets
from ventuno.web.video import endpoint as video_endpoint
from ventuno.web.video import routes as video_routes
from ventuno.web.video.recording import open_recorder
from ventuno.web.video.video_hub import VideoHub

ROUTERS = (
    *(login, sessions, me, protection, cashier, lobby, history, fairness, supervision, records, console, routes),
    *(studio, health, endpoint, video_endpoint, video_routes),
)
Opening = Callable[[], Awaitable[Application]]


def create_app(
    opened: Opening, settings: Settings, allowances: RateLimits | None = None, calculator: Sequence[str] = ()
) -> FastAPI:
    """The application of a house that `opened` gives; who opened it closes it, after the application has ended.

    `calculator` is the command of the process that computes odds: it is started when somebody first asks for some.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        application = app.state.application = await opened()
        app.state.tickets = Tickets(application.now)
        app.state.rates = RateLimiter(allowances or RateLimits.from_settings(settings), application.now)
        app.state.certificates = Certificates(application.folder / CERTIFICATES)
        app.state.solved = routes.CertificateCache(Calculator(calculator), app.state.certificates)
        app.state.board = lobby.LobbyCache(application, lambda: app.state.settings)
        app.state.guide = guide.Guide(application.config.games, settings.pages or STATIC)
        app.state.figures = fairness.VoidFiguresCache(application)
        app.state.mailer = Mailer(application.accounts, application.config.name, settings.public_origin)
        app.state.hub = Hub(application, endpoint.read_limits(settings))
        recorder = open_recorder(settings, application)
        app.state.video = VideoHub(app.state.hub, application.studio, recorder)
        if app.state.traces:
            application.trace(app.state.traces)
        app.state.meters.attach(application, lambda: app.state.hub, lambda: app.state.video)
        lag = asyncio.create_task(app.state.meters.watch_lag(), name="web-lag")
        yield
        lag.cancel()
        with suppress(asyncio.CancelledError):
            await lag
        await app.state.mailer.close()
        await app.state.solved.calculator.close()
        await app.state.hub.close()
        await app.state.video.close()
        if app.state.traces:
            await asyncio.to_thread(app.state.traces.stop)

    meters = Metrics()
    app = FastAPI(
        title="Ventuno",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,  # published: what a function is called now may differ
        middleware=[
            Middleware(TraceMiddleware),
            Middleware(LogMiddleware, counted=meters.request),
            Middleware(HeadersMiddleware, settings=settings),
            Middleware(errors.ErrorMiddleware),
            Middleware(RequestChecks, settings=settings),
        ],
    )
    app.state.settings, app.state.meters = settings, meters
    app.state.traces = start(settings.traces) if settings.traces else None
    errors.install(app)
    for module in ROUTERS:
        app.include_router(module.router)
    app.add_route(asyncapi.ADDRESS, asyncapi.serve_document, include_in_schema=False)
    app.add_route(guide.ADDRESS, guide.serve_page, include_in_schema=False)
    app.add_route(f"{guide.ADDRESS}/{{path:path}}", guide.serve_page, include_in_schema=False)
    app.router.default = Pages(settings.pages or STATIC)
    app.openapi = lambda: schema.build_document(app)  # type: ignore[method-assign]
    return app


def schema_only() -> FastAPI:
    """An application that opens no house: what it says of itself is all that is wanted."""

    async def never() -> Application:
        raise RuntimeError("this application is for its document alone")

    return create_app(never, Settings())
