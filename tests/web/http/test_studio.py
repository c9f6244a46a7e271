"""A dealer's calls over HTTP: his tables, and a shoe that reads its cards by itself (X-27)."""

from __future__ import annotations

from pathlib import Path

from tests.support import in_process_house
from tests.support.house import FACTOR, key
from tests.support.in_process_house import LIVE, InProcessHouse
from ventuno.core.messages.commands import DeclareShoe, TakeDesk
from ventuno.core.rules.sheet import SCANNED
from ventuno.house.accounts.access_tokens import GivenToken, NotDeclared
from ventuno.house.accounts.players import Role

SCAN = "/api/studio/Studio/scan"


async def appoint(house: InProcessHouse, name: str) -> str:
    player = await house.joined(name, 0)
    await house.application.accounts.appoint(player, Role.DEALER, FACTOR)
    return player


async def test_x27_a_shoe_scans_with_a_token_of_its_dealer(tmp_path: Path) -> None:
    async with in_process_house.opened(tmp_path) as house:
        application = house.application
        await application.tables.open("Studio", "ventuno", cards=SCANNED)
        dora, elio = await appoint(house, "Dora"), await appoint(house, "Elio")
        given = await application.accounts.give_access_token(dora, "shoe", 1)
        assert isinstance(given, GivenToken)
        shoe = house.client(Authorization=f"Bearer {given.token}")
        first = await shoe.post(SCAN, json={"card": "2C", "key": "shoe-0001"})
        assert (first.status_code, first.json()["error"]["code"]) == (409, "NoDesk")
        for command in (TakeDesk(dora, 0), DeclareShoe(dora, 0)):
            assert not (await application.tables.ask(dora, "Studio", command, key())).refused
        listed = (await shoe.get("/api/studio")).json()["tables"]
        assert [(line["table"], line["game"], line["dealer"]) for line in listed] == [("Studio", "ventuno", dora)]
        lobby = (await shoe.get("/api/lobby")).json()["tables"]
        found = {line["table"]: (line["cards"], line["dealer"]) for line in lobby}
        assert found == {LIVE: ("sealed", ""), "Studio": ("scanned", "Dora")}
        for _ in range(2):
            assert (await shoe.post(SCAN, json={"card": "2C", "key": "shoe-0002"})).status_code == 204, "asked twice"
        assert application.tables.get_all()["Studio"].table.phase == "betting"
        wrong = await shoe.post(SCAN, json={"card": "TD", "key": "shoe-0003"})
        assert wrong.json()["error"]["code"] == "CardNotWanted"
        assert (await shoe.post(SCAN, json={"card": "1D", "key": "shoe-0004"})).status_code == 422
        assert (await shoe.post(SCAN, json={"card": "CUT", "key": "shoe-0005"})).status_code == 204
        other = house.client(await house.token(elio))
        refused = await other.post(SCAN, json={"card": "TD", "key": "shoe-0006"})
        assert refused.json()["error"]["code"] == "NotYourDesk"
        await application.accounts.appoint(dora, Role.PLAYER)
        late = await shoe.post(SCAN, json={"card": "TD", "key": "shoe-0007"})
        assert late.status_code == 401, "a dealer no more, and no bot"


async def test_x27_a_player_has_no_token_and_no_list(tmp_path: Path) -> None:
    async with in_process_house.opened(tmp_path) as house:
        ada, client = await house.visitor("Ada")
        assert isinstance(await house.application.accounts.give_access_token(ada, "shoe", 1), NotDeclared)
        assert (await client.get("/api/studio")).json()["error"]["code"] == "NotSupervisor"
