"""T-5 at the doors: on a full disk nobody new comes in and no money, who is in may leave, and all goes on with room."""

from __future__ import annotations

import httpx
import pytest

from tests.support.house import PASSWORD
from tests.support.in_process_house import InProcessHouse
from ventuno.house.store.file_lock import FULL, DiskReserve


async def deposit(client: httpx.AsyncClient, key: str) -> httpx.Response:
    return await client.post("/api/cashier/deposits", json={"amount": 100}, headers={"Idempotency-Key": key})


async def test_t5_on_a_full_disk_what_is_new_is_refused_until_there_is_room(
    entrance: InProcessHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = await entrance.visitor("Ada", 5_000)
    account = {"name": "Bea", "password": PASSWORD}
    async with client, entrance.client() as stranger:

        async def ask_for_what_is_new() -> dict[str, tuple[int, str]]:
            answers = {
                "guest": await stranger.post("/api/guest"),
                "register": await stranger.post("/api/register", json=account),
                "deposit": await deposit(client, "deposit-2"),
                "solo": await client.post("/api/solo/first-person"),
                "practice": await client.post("/api/practice", json={"game": "sisal"}),
            }
            return {
                name: (answer.status_code, answer.json().get("error", {}).get("code", ""))
                for name, answer in answers.items()
            }

        assert (await deposit(client, "deposit-1")).status_code == 200
        with monkeypatch.context() as disk:
            disk.setattr(DiskReserve, "find_shortage", lambda *_: FULL)
            entrance.application.host.commits.store.full = FULL
            refused = await ask_for_what_is_new()
            assert refused == dict.fromkeys(refused, (503, "DiskFull"))
            assert (await deposit(client, "deposit-1")).status_code == 200, "what was done is answered again"
            assert (await stranger.post("/api/login", json={"name": "Ada", "password": PASSWORD})).status_code == 200
            taken = await client.post(
                "/api/cashier/withdrawals", json={"amount": 100}, headers={"Idempotency-Key": "withdrawal-1"}
            )
            assert taken.status_code == 200
        entrance.application.host.commits.store.full = ""
        assert set((await ask_for_what_is_new()).values()) == {(200, "")}
