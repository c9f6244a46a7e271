"""Who has a part in the cut of a shoe, and what the house signs for it (X-01, X-24)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest

from tests.support.house import OpenHouse, key
from tests.support.sample_shoes import toy_key
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes import commitment, cut, promise_lists, receipts, shoe_document
from ventuno.house.shoes.acknowledgements import Acknowledgement
from ventuno.house.shoes.cut import Origin
from ventuno.house.shoes.kept import Kept
from ventuno.house.shoes.receipts import is_continuation
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.shoe_log import PUBLIC
from ventuno.house.shoes.shoe_sequence import check_sequence
from ventuno.house.shoes.verification import verify
from ventuno.house.store import store as stores
from ventuno.house.store.signing_key import SigningKey
from ventuno.house.tables.shoe_supply import ShoeSupply
from ventuno.sheets import GAMES, load

LIVE = "Ventuno 1"


@pytest.fixture
async def evening(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    house = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    house.certify(*GAMES)
    await house.open()
    await house.application.tables.open(LIVE, "ventuno")
    yield house
    await house.application.close()


async def enter_bot(evening: OpenHouse, name: str) -> PlayerId:
    entered = await evening.application.accounts.enter_bot(name, "127.0.0.1")
    assert not isinstance(entered, Refusal), entered
    await evening.application.cashier.deposit(entered.player, 100_000, key())
    return entered.player


async def play_live_round(evening: OpenHouse, players: tuple[PlayerId, ...]) -> str:
    for box, player in enumerate(players, start=1):
        await evening.sit(player, LIVE, box)
    await evening.betting(LIVE, players[0])
    for box, player in enumerate(players, start=1):
        await evening.bet(player, LIVE, (Spot(box, "main"),))
    code = await evening.deal(LIVE, players[0])
    await evening.finish(LIVE, players)
    return code


async def test_x24_a_shoe_that_bots_alone_could_cut_is_the_house_s(evening: OpenHouse) -> None:
    """Planted: bots that answer like people. What they send is not taken, and the verdict names the house."""
    bots = (await enter_bot(evening, "Ada"), await enter_bot(evening, "Bruno"))
    code = await play_live_round(evening, bots)
    verdict = await evening.verdict(bots[0], code)
    assert (verdict.is_verifiable, verdict.contributors, verdict.rests_on) == (False, 0, "house")
    assert any("not verifiable: the house made the entropy" in note for note in verdict.notes)


async def test_x24_bots_beside_players_have_no_part_in_the_cut(evening: OpenHouse) -> None:
    bot, ada = await enter_bot(evening, "Bruno"), await evening.joined("Ada")
    await evening.sit(ada, LIVE, 2)
    await evening.sit(bot, LIVE, 1)
    await evening.betting(LIVE, ada)
    news = evening.application.fairness.get_shoe(LIVE)
    assert news is not None
    assert news.players == (ada,)
    assert isinstance(await evening.application.fairness.promise(bot, LIVE, bytes(32)), Refusal)
    await evening.bet(ada, LIVE, (Spot(2, "main"),))
    code = await evening.deal(LIVE, ada)
    await evening.finish(LIVE, (ada,))
    document = await evening.document(ada, code)
    assert [(part.player, part.origin) for part in document.entropy.contributions] == [(ada, Origin.PLAYER)]
    assert (await evening.verdict(ada, code)).rests_on == "players"


async def test_x24_staff_at_a_table_of_their_own_is_the_house(evening: OpenHouse) -> None:
    eva = await evening.supervisor()
    await evening.application.cashier.deposit(eva, 100_000, key())
    table = await evening.application.tables.open_solo(eva, "duello")
    assert isinstance(table, str), table
    await evening.application.tables.bring(eva, table, 10_000, key())
    code, _ = await evening.solo_round(eva, table, (Spot(1, "main"),))
    assert (await evening.verdict(eva, code)).rests_on == "house"


def own_key(player: PlayerId) -> SigningKey:
    return toy_key(f"browser of {player}")


async def cut_with_key(evening: OpenHouse, player: PlayerId, table: str, entropy: bytes) -> Kept:
    """A browser that keeps what it is shown: commitment, bytes, key, acknowledgements and the receipt of the cut."""
    fairness, kept = evening.application.fairness, own_key(player)
    await evening.until(lambda: (news := fairness.get_shoe(table)) is not None and news.phase == "promises")
    news = fairness.get_shoe(table)
    assert news is not None
    made, promise = commitment.read(news.commitment), sha256(entropy).digest()
    signature = kept.sign(cut.make_promise_message(made, player, promise))
    taken = [await fairness.promise(player, table, promise, kept.public, signature)]
    await evening.until(lambda: (news := fairness.get_shoe(table)) is not None and news.phase == "reveals")
    shown = fairness.get_shoe(table)
    assert shown is not None
    taken.append(await fairness.reveal(player, table, entropy))
    await evening.until(lambda: (news := fairness.get_shoe(table)) is not None and news.phase == "cut")
    news = fairness.get_shoe(table)
    assert news is not None
    return Kept(
        table=table,
        shoe=made.shoe,
        player=player,
        commitment=made.digest,
        key=kept.public,
        promise=promise,
        entropy=entropy,
        promise_list=promise_lists.read(shown.promises),
        acknowledgements=tuple(one for one in taken if isinstance(one, Acknowledgement)),
        receipts=(receipts.read(news.receipt),),
    )


async def open_solo(evening: OpenHouse, name: str = "Ada", game: str = "duello") -> tuple[PlayerId, str]:
    player = await evening.joined(name)
    evening.absent.add(player)
    table = await evening.application.tables.open_solo(player, game)
    assert isinstance(table, str), table
    await evening.application.tables.bring(player, table, 50_000, key())
    return player, table


async def test_x24_a_round_is_verified_by_who_kept_his_bytes_and_a_receipt(evening: OpenHouse) -> None:
    ada, table = await open_solo(evening)
    kept = await cut_with_key(evening, ada, table, b"sixteen bytes...")
    assert [one.taken.kind for one in kept.acknowledgements] == ["promise", "reveal"]
    assert all(one.is_valid and one.key == evening.application.key for one in kept.acknowledgements)
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    after = await evening.application.fairness.read_receipt(table)
    assert after is not None
    verdict = await evening.verdict(ada, code, replace(kept, receipts=(*kept.receipts, after)))
    assert verdict.rests_on == "you"
    assert verdict.matches == ("commitment", "entropy", "key", "promises", "receipts[0]", "receipts[1]")
    stranger = await evening.verdict(ada, code)
    assert (stranger.rests_on, stranger.contributors, stranger.signers) == ("players", 1, 1)
    late = await evening.verdict(ada, code, replace(kept, receipts=(after,)))
    assert late.rests_on == "players"
    assert any("between the cut and your first bet" in note for note in late.notes)


async def test_x24_all_promises_are_signed_before_anybody_reveals(evening: OpenHouse) -> None:
    """In the order in which they came; the same list after a crash, and none before promises are closed."""
    ada, bruno = await evening.joined("Ada"), await evening.joined("Bruno")
    evening.absent |= {ada, bruno}
    await evening.sit(ada, LIVE, 1)
    await evening.sit(bruno, LIVE, 2)
    fairness = evening.application.fairness
    await evening.until(lambda: (news := fairness.get_shoe(LIVE)) is not None and news.phase == "promises")
    evening.clock.move(6_000)  # the first was committed for who sat down first; both cut the second
    await evening.until(lambda: (news := fairness.get_shoe(LIVE)) is not None and news.players == (ada, bruno))
    news = fairness.get_shoe(LIVE)
    assert news is not None
    entropies = {bruno: b"bruno's bytes...", ada: b"anna's own bytes"}
    for player, entropy in entropies.items():
        assert news.promises is None
        refused = await fairness.reveal(player, LIVE, entropy)
        assert isinstance(refused, Refusal)
        await fairness.promise(player, LIVE, sha256(entropy).digest())
    await evening.until(lambda: (news := fairness.get_shoe(LIVE)) is not None and news.phase == "reveals")
    news = fairness.get_shoe(LIVE)
    assert news is not None
    assert news.revealed == ()
    signed = promise_lists.read(news.promises)
    assert signed.is_valid
    assert signed.key == evening.application.key
    assert signed.listed.commitment == commitment.read(news.commitment).digest
    assert [(entry.player, entry.promise) for entry in signed.listed.promises] == [
        (player, sha256(entropy).digest()) for player, entropy in entropies.items()
    ]
    late = await fairness.promise(ada, LIVE, sha256(b"another").digest())
    assert isinstance(late, Refusal)
    await evening.crash()
    again = evening.application.fairness.get_shoe(LIVE)
    assert again is not None
    assert again.promises == news.promises


async def test_x24_a_key_that_did_not_sign_is_refused(evening: OpenHouse) -> None:
    ada, table = await open_solo(evening)
    fairness = evening.application.fairness
    await evening.until(lambda: fairness.get_shoe(table) is not None)
    signature = own_key(ada).sign(b"something else")
    outcome = await fairness.promise(ada, table, bytes(32), own_key(ada).public, signature)
    assert isinstance(outcome, Refusal)
    assert outcome.code == "SignatureUnfit"
    assert isinstance(await fairness.promise(ada, table, bytes(32), own_key(ada).public), Refusal)


def is_in_phase(evening: OpenHouse, table: str, shoe: int, phase: str) -> bool:
    news = evening.application.fairness.get_shoe(table)
    return news is not None and (news.commitment["shoe"], news.phase) == (shoe, phase)


async def test_x24_a_served_proof_leads_from_an_old_receipt_to_a_new_one(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Across snapshots and many shoes; one changed hash, or heights that are not there, prove nothing.

    Snapshots are taken where promises have just ended: what they hold already is not read again.
    """
    monkeypatch.setattr(stores, "MILESTONE", 1)
    ada, table = await open_solo(evening)
    fairness, kept = evening.application.fairness, []
    for shoe in range(1, 5):
        await evening.until(partial(is_in_phase, evening, table, shoe, "promises"))
        await fairness.promise(ada, table, sha256(b"never told").digest())
        await evening.until(partial(is_in_phase, evening, table, shoe, "reveals"))
        evening.application.maintenance._snapshots.take_due(every=1)
        evening.clock.move(6_000)
        await evening.solo_round(ada, table, (Spot(1, "main"),))
        receipt = await fairness.read_receipt(table)
        assert receipt is not None
        kept.append(receipt)
    for older, newer in combinations(kept, 2):
        heights = older.checkpoint.height, newer.checkpoint.height
        proof = await fairness.prove_consistency(table, 1, *heights)
        assert not isinstance(proof, Refusal)
        assert is_continuation(older, newer, proof)
        assert not is_continuation(older, newer, (bytes(32), *proof[1:]))
    heights = kept[-2].checkpoint.height, kept[-1].checkpoint.height
    assert await evening.application.host.commits.store.find_permanent_snapshot(f"{PUBLIC}{table}", 2) is not None
    from_start = await fairness.prove_consistency(table, 1, *heights)
    assert [await fairness.prove_consistency(table, shoe, *heights) for shoe in (2, 3, 4)] == [from_start] * 3
    assert isinstance(await fairness.prove_consistency(table, 1, 5, 10_000), Refusal)


def find_waiting(table: str) -> list[asyncio.Task[object]]:
    """The task that makes the next shoe of a table, if it is at work."""
    return [task for task in asyncio.all_tasks() if task.get_name() == f"ventuno-shoe-{table}"]


async def test_r06_a_table_that_closes_waits_for_no_shoe_any_more(evening: OpenHouse) -> None:
    """Nobody sat down: the wait for somebody to cut ends with the table, and nothing breaks when it is gone."""
    faults: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    eva = await evening.supervisor()
    (waiting,) = find_waiting(LIVE)
    assert not (await evening.application.supervision.close_table(eva, LIVE, "end of the evening", key())).refused
    assert evening.application.tables.is_closed(LIVE)
    done, _ = await asyncio.wait((waiting,), timeout=10)
    assert done == {waiting}
    assert find_waiting(LIVE) == []
    assert faults == []


async def test_r06_a_shoe_that_is_missed_as_the_last_one_is_done_is_made_all_the_same(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the first work for a table ends just before the table wants a shoe."""
    serve, ended = ShoeSupply._serve, list[str]()

    async def end_once(supply: ShoeSupply, name: str) -> None:
        if name not in ended:
            ended.append(name)
            return
        await serve(supply, name)

    monkeypatch.setattr(ShoeSupply, "_serve", end_once)
    _, table = await open_solo(evening)
    await evening.until(lambda: evening.application.fairness.get_shoe(table) is not None)
    assert ended == [table]


async def test_x01_every_shoe_is_listed_and_missing_reveals_are_counted(evening: OpenHouse) -> None:
    ada, table = await open_solo(evening)
    fairness = evening.application.fairness
    await evening.until(lambda: fairness.get_shoe(table) is not None)
    (uncut,) = await fairness.list_shoes(table, 0)
    assert (uncut.rounds, uncut.voids, uncut.players, uncut.withheld, uncut.absent) == (0, 0, 0, 0, 0)
    assert (uncut.cut, uncut.retired) == (False, "")
    await fairness.promise(ada, table, sha256(b"never told").digest())
    await evening.until(lambda: (news := fairness.get_shoe(table)) is not None and news.phase == "reveals")
    evening.clock.move(6_000)
    await evening.solo_round(ada, table, (Spot(1, "main"),))
    await evening.until(lambda: (news := fairness.get_shoe(table)) is not None and news.commitment["shoe"] == 2)
    evening.clock.move(6_000)
    await evening.betting(table, ada)
    first, second, *_ = lines = await fairness.list_shoes(table, 0)
    assert [line.shoe for line in lines] == list(range(1, len(lines) + 1))
    assert second.previous == first.commitment
    assert (first.rounds, first.players, first.withheld, first.absent, first.retired) == (1, 0, 1, 0, "cut-card")
    assert (second.rounds, second.withheld, second.absent) == (0, 0, 1)
    counts = fairness.count_cuts()["duello"]
    assert (counts.withheld, counts.absent, counts.by_house, counts.cut) == (1, 1, 2, 2)
    await evening.crash()
    assert evening.application.fairness.count_cuts()["duello"] == counts


async def read_shoe(evening: OpenHouse, viewer: PlayerId, table: str, number: int) -> ShoeDocument | Refusal:
    """A shoe by its number, as the house hands it out to who may have it."""
    application = evening.application
    if refusal := application.fairness.check_access(table, viewer):
        return refusal
    told = await application.history.read_shoe(viewer, table, number)
    return told if isinstance(told, Refusal) else shoe_document.read(json.dumps(told).encode(), GAMES)


async def test_x01_shoes_without_a_round_are_opened_and_given_by_their_number(evening: OpenHouse) -> None:
    """One lay in the shoe, one was still being cut when the table closed: neither stays hidden, also after a crash."""
    eva, ada, stranger = await evening.supervisor(), await evening.joined("Ada"), await evening.joined("Zoe")
    await evening.sit(ada, LIVE, 1)
    await evening.betting(LIVE, ada)
    evening.absent.add(ada)
    fairness = evening.application.fairness
    await evening.until(lambda: (news := fairness.get_shoe(LIVE)) is not None and news.commitment["shoe"] == 2)
    assert isinstance(await read_shoe(evening, stranger, LIVE, 2), Refusal)
    in_use = await read_shoe(evening, stranger, LIVE, 1)
    assert isinstance(in_use, ShoeDocument)
    assert in_use.opening is None
    assert await fairness.list_discarded() == []
    assert not (await evening.application.supervision.close_table(eva, LIVE, "end of the evening", key())).refused
    await evening.until(lambda: evening.application.tables.is_closed(LIVE))
    for _ in range(2):
        listed = await evening.application.fairness.list_discarded()
        assert [(line.table, line.shoe, line.retired) for line in listed] == [(LIVE, 1, "closed"), (LIVE, 2, "closed")]
        shoes = [await read_shoe(evening, stranger, LIVE, line.shoe) for line in listed]
        documents = [document for document in shoes if isinstance(document, ShoeDocument)]
        verdicts = [verify(document, load("ventuno"), evening.application.key) for document in documents]
        assert [(verdict.is_open, verdict.rounds, verdict.rests_on) for verdict in verdicts] == [
            (True, 0, "players"),
            (True, 0, "house"),
        ]
        assert check_sequence(documents) == []
        assert [document.commitment.digest.hex() for document in documents] == [line.commitment for line in listed]
        await evening.crash()


async def test_x01_a_shoe_by_its_number_is_for_who_played_it(evening: OpenHouse) -> None:
    """With a round in it: not for a spectator; at a table for one for its owner, also once it is closed."""
    eva, stranger, bot = await evening.supervisor(), await evening.joined("Zoe"), await enter_bot(evening, "Bruno")
    ada, table = await open_solo(evening)
    evening.absent.clear()
    code, _ = await evening.solo_round(ada, table, (Spot(1, "main"),))
    await evening.betting(table, ada)
    for _ in range(2):
        own = await read_shoe(evening, ada, table, 1)
        assert isinstance(own, ShoeDocument)
        assert [record.code for record in own.rounds] == [code]
        assert isinstance(await read_shoe(evening, stranger, table, 1), Refusal)
        if not evening.application.tables.is_closed(table):
            await evening.application.supervision.close_table(eva, table, "end of the evening", key())
            await evening.until(lambda: evening.application.tables.is_closed(table))
    await play_live_round(evening, (bot,))
    refused = await read_shoe(evening, stranger, LIVE, 1)
    assert isinstance(refused, Refusal)
    assert refused.code == "ShoePlayed"
    assert isinstance(await read_shoe(evening, bot, LIVE, 1), ShoeDocument)
    beyond = await read_shoe(evening, bot, LIVE, 99)
    assert isinstance(beyond, Refusal)
    assert beyond.code == "NoSuchShoe"
