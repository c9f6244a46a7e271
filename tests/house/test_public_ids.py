"""H-10: what everybody may see of a round names it and tells nothing; a secret is never compared as it is."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, SupportsIndex

import pytest

from tests.support.house import LIVE, OpenHouse
from tests.support.sample_shoes import fixed_source
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.second_factor import compute_code, find_step, hash_recovery_code
from ventuno.house.accounts.sessions import Entered
from ventuno.sheets import GAMES
from ventuno.web.sockets.tickets import Tickets, TicketUnfit


class SeededHouse(OpenHouse):
    """A house whose entropy and whose tokens come from a name."""

    seed = ""

    def config(self) -> dict[str, Any]:
        self.source = fixed_source(self.seed)
        return {**super().config(), "tokens": lambda size: sha256(self.seed.encode()).digest() * (size // 32 + 1)}


async def list_ids(folder: Path, seed: str) -> dict[str, Any]:
    """Every number and name that is shown of an evening: players, tables, rounds, shoes, tickets of the concession."""
    house = SeededHouse(f"sqlite:///{folder}/{seed}.db", folder / seed)
    house.seed = seed
    house.certify(*GAMES)
    await house.open()
    try:
        ada = await house.joined("Ada")
        await house.application.tables.open(LIVE, "ventuno")
        await house.sit(ada, LIVE, 1)
        tables = {"ventuno": LIVE}
        for game in GAMES:
            if game != "ventuno":
                table = await house.application.tables.open_solo(ada, game)
                assert isinstance(table, str)
                await house.application.tables.bring(ada, table, 20_000, f"brings {game}")
                tables[game] = table
        codes, roots, cards = dict[str, str](), set[str](), list[str]()
        for game, table in tables.items():
            await house.betting(table, ada)
            shoe = house.application.fairness.get_shoe(table)
            assert shoe is not None
            roots.add(str(shoe.commitment["root"]))
            if table != LIVE:  # there the next shoe is made beside play, and shown when it is ready
                codes[f"shoe of {game}"] = str(shoe.commitment["shoe"])
            await house.bet(ada, table, (Spot(1, "main"),))
            codes[game] = await house.deal(table, ada)
            cards.append(str(house.view(table, ada).boxes))
        admissions = [house.application.tables._concession.find_admission(ada, table) for table in tables.values()]
        session = await house.session(ada)
        ids = {"players": ada, "tables": tables, "codes": codes, "admissions": admissions}
        assert session.session not in session.token, "it is of the token's hash, and shown to its owner alone"
    finally:
        await house.application.close()
    return {"ids": ids, "roots": roots, "cards": cards}


async def test_h10_no_id_depends_on_what_the_house_draws(tmp_path: Path) -> None:
    """Two houses that draw other cards and other tokens name everything alike."""
    first, second = [await list_ids(tmp_path, seed) for seed in ("one", "two")]
    assert first["ids"] == second["ids"]
    assert not first["roots"] & second["roots"], "the shoes are others"
    assert first["cards"] != second["cards"]


async def test_h10_planted_fault_an_id_made_of_the_seed_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await list_ids(tmp_path, "one")
    right = OpenHouse.deal

    async def deal(self: OpenHouse, table: str, player: str) -> str:
        shoe = self.application.fairness.get_shoe(table)
        return f"{await right(self, table, player)}-{str(shoe.commitment['root'])[:4] if shoe else ''}"

    monkeypatch.setattr(OpenHouse, "deal", deal)
    assert (await list_ids(tmp_path, "two"))["ids"] != first["ids"]


class GuardedBytes(bytes):
    """A secret as bytes: a digest may read it, `compare_digest` may, nobody else."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a secret is compared as it is")

    def __hash__(self) -> int:
        raise AssertionError("a secret is looked up as it is")

    def startswith(self, *_: Any) -> bool:
        raise AssertionError("a part of a secret is compared")


class Guarded(str):
    """A secret as text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a secret is compared as it is")

    def __hash__(self) -> int:
        raise AssertionError("a secret is looked up as it is")

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return GuardedBytes(super().encode(encoding, errors))

    def __getitem__(self, _: SupportsIndex | slice) -> str:
        raise AssertionError("a part of a secret is taken")


async def test_h10_tokens_tickets_and_codes_are_hashed_or_compared_in_constant_time(tmp_path: Path) -> None:
    house = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    house.certify(*GAMES)
    await house.open()
    try:
        guest = await house.application.accounts.enter_guest("::1", "browser")
        assert isinstance(guest, Entered)
        identity = await house.application.accounts.identify(Guarded(guest.token))
        assert not isinstance(identity, Refusal)
        assert identity.player == guest.player
        assert isinstance(await house.application.accounts.identify(Guarded("0" * 64)), Refusal)
    finally:
        await house.application.close()
    tickets = Tickets(lambda: 0)
    assert tickets.redeem(Guarded(tickets.issue("s")), "s") is None
    assert isinstance(tickets.redeem(Guarded("wrong"), "s"), TicketUnfit)
    secret = b"12345678901234567890"
    assert find_step(secret, Guarded(compute_code(secret, 2)), 60_000, 0) == 2
    assert find_step(secret, Guarded("000000"), 60_000, 0) is None
    assert hash_recovery_code(Guarded("ABCD-EFGH")) == hash_recovery_code("abcd efgh")


@pytest.mark.parametrize("look", [lambda secret: secret == "abc", lambda secret: {"abc": 1}.get(secret)])
def test_h10_planted_fault_a_secret_that_is_looked_up_is_caught(look: Any) -> None:
    with pytest.raises(AssertionError, match="as it is"):
        look(Guarded("abc"))
    with pytest.raises(AssertionError, match="as it is"):
        look(Guarded("abc").encode())
