"""Every call with what its schema allows and with what it forbids, over real HTTP: no fault, no answer that is not in
the document, nothing forbidden taken, nothing allowed called unfit (G-18).

Calls are made by somebody who may make them, with real ids: else nothing but refusals would be tested.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import uvicorn
from fastapi import FastAPI, Request, Response
from hypothesis import HealthCheck, Phase, given, settings
from pydantic import BaseModel
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation

from tests.support.busy_house import CALLS, Rule, Who, World
from tests.support.house import PASSWORD
from tests.support.in_process_house import InProcessHouse, opened
from tests.support.patience import PATIENCE
from tests.support.volume import scale
from ventuno.web.app import schema_only
from ventuno.web.messages import schema
from ventuno.web.sockets.websocket_protocol import UVICORN_OPTIONS

BOUNDS = settings(
    max_examples=scale(12),
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
"""For each operation so many at random, beside those that go through the edges of its schema one by one."""
ENDING = (
    "/logout",
    "/sessions",
    "/password",
    "/exclusion",
    "/cool-off",
    "/login",
    "/register",
    "/guest",
    "r/confirmation",
)
"""Calls that end a session, or change for good who has it: each is made by somebody new."""
REAL = {
    "PUT /api/password": {"old": PASSWORD, "new": "another horse battery"},
    "POST /api/password/reset": {"name": "Ada", "reset_code": "K7QM-4XPD-2HNT", "password": "password"},
}
UNFILMED = "GET /api/supervisor/rounds/{code}/video.webm"
"""No camera is in this house, so nothing is there to read; tests of recordings have some."""
Case = schemathesis.Case[Any]
DOCUMENT = schemathesis.openapi.from_dict(schema.build_document(schema_only()))


class ServerProcess:
    """A house with its server in a thread of its own; `tally` counts the answers of each operation by status."""

    def __init__(self, folder: Path, plant: Callable[[FastAPI], None] = lambda _: None) -> None:
        self._folder, self._plant = folder, plant
        self._ready: Future[tuple[World, int]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._begin()), name="house")
        self._tokens: dict[Who, str] = {}
        self._calls = 0
        self.tally: dict[str, Counter[int]] = {}

    def __enter__(self) -> ServerProcess:
        self._thread.start()
        self.world, self.port = self._ready.result(120)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(60)

    async def _begin(self) -> None:
        try:
            await self._serve()
        except BaseException as fault:
            if not self._ready.done():
                self._ready.set_exception(fault)
            raise

    async def _serve(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        async with opened(self._folder) as entrance:
            self._plant(entrance.app)
            world = await World(entrance).begin()
            server = uvicorn.Server(
                uvicorn.Config(entrance.front, port=0, lifespan="off", log_config=None, **UVICORN_OPTIONS)
            )
            serving = asyncio.create_task(server._serve())
            while not server.started:
                await asyncio.sleep(0.01)
            self._ready.set_result((world, server.servers[0].sockets[0].getsockname()[1]))
            await self._stopped.wait()
            server.should_exit = True
            await serving

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def call(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(120)

    def token(self, who: Who, *, fresh: bool) -> str:
        """A session of somebody; `fresh` where the call may end it, or change who has it."""
        if fresh or who not in self._tokens:
            _, client = self.call(self.world.visit(who))
            found = str(client.cookies["ventuno"])
            if fresh:
                return found
            self._tokens[who] = found
        return self._tokens[who]

    def ada(self) -> str:
        entrance: InProcessHouse = self.world.entrance
        return str(self.call(entrance.token(self.world.ada)))

    def every_third(self) -> bool:
        self._calls += 1
        return self._calls % 3 == 0

    def idle(self) -> list[str]:
        """Operations of which no call was taken, nor well said and refused: they were not tested."""
        fine = {name: {200, 204, 409} | ({404} if name == UNFILMED else set()) for name in self.tally}
        return [name for name, held in self.tally.items() if not fine[name] & set(held)]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("house")) as made:
        yield made
        assert made.idle() == [], made.tally


def dressed(running: ServerProcess, case: Case) -> dict[str, Any]:
    """Who makes this call, with which real ids, and now and then with a real body; what a case leaves out stays out.

    `1.0` is a whole number to JSON Schema and none to us (ASVS 2.2): what is meant to fit is written without a point.
    """
    operation, meta = case.operation.label, case.meta
    assert meta is not None
    call = CALLS[operation]
    who = Who.SUPERVISOR if call.rule is Rule.STAFF else Who.OWNER
    token = running.ada() if call.strange else running.token(who, fresh=case.path.endswith(ENDING))
    if meta.generation.mode.is_positive:
        case.path_parameters = {**case.path_parameters, **call.values(running.world, "")}
        case.body = whole(case.body)
        if call.body and running.every_third():
            body: Any = REAL.get(operation) or call.body(running.world, running.world.ada)
            case.body = body
    headers = {"Origin": running.origin, **({"X-Ventuno": "1"} if operation.startswith("GET") else {})}
    held = meta.components.get(ParameterLocation.COOKIE)
    left_out = held is not None and held.mode.is_negative
    return {"base_url": running.origin, "headers": headers, "cookies": {} if left_out else {"ventuno": token}}


def whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: whole(one) for key, one in value.items()}
    if isinstance(value, list):
        return [whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@DOCUMENT.parametrize()
@BOUNDS
def test_every_call_keeps_to_the_document(case: Case, running: ServerProcess) -> None:
    answer = case.call_and_validate(timeout=PATIENCE, **dressed(running, case))
    if case.method.upper() == case.operation.method.upper():
        running.tally.setdefault(case.operation.label, Counter())[answer.status_code] += 1


class Lenient(BaseModel):
    number: int


async def breaks(request: Request) -> dict[str, int]:
    body = await request.json()
    return {"inverse": 1 // (body["number"] - body["number"] // 2 * 2)}


async def surprises(response: Response) -> dict[str, int]:
    response.status_code = 418
    return {}


async def takes_anything(request: Request) -> dict[str, int]:
    del request
    return {}


PLANTED: dict[str, tuple[Callable[..., Any], GenerationMode, str]] = {
    "a fault for some numbers": (breaks, GenerationMode.POSITIVE, "Server error"),
    "an answer that is not in the document": (surprises, GenerationMode.POSITIVE, "Undocumented"),
    "a body that is not read": (takes_anything, GenerationMode.NEGATIVE, "Schema-violating request accepted"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_call_is_caught(tmp_path: Path, fault: str) -> None:
    door, mode, told = PLANTED[fault]
    body = {"content": {"application/json": {"schema": Lenient.model_json_schema()}}, "required": True}

    def plant(app: FastAPI) -> None:
        app.add_api_route("/api/planted", door, methods=["POST"], openapi_extra={"requestBody": body})

    with ServerProcess(tmp_path, plant) as running:
        document = schemathesis.openapi.from_dict(running.world.entrance.app.openapi())
        operation = document["/api/planted"]["POST"]

        @given(case=operation.as_strategy(generation_mode=mode))
        @BOUNDS
        def hunted(case: Case) -> None:
            case.call_and_validate(base_url=running.origin, headers={"Origin": running.origin, "X-Ventuno": "1"})

        with pytest.raises(FailureGroup) as caught:
            hunted()
        assert told in str(caught.value)
