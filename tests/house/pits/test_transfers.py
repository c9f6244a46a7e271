"""The fold of a pit's transfers: what is open, and which pits hold something of a player."""

from __future__ import annotations

from ventuno.house.pits.messages import Transfer
from ventuno.house.pits.placement import find_player_pit
from ventuno.house.pits.transfers import TransferArrived, TransferEnded, Transfers, TransferSent, read_transfer_event
from ventuno.house.store.records import encode_event

HOME = find_player_pit("ada")
AWAY = (HOME + 1) % 256


def send(transfers: Transfers, ask: str = "") -> str:
    key = transfers.name_next(HOME)
    transfers.apply(TransferSent(Transfer(key, "ada", "T1", 500), AWAY, ask, b"body"))
    return key


def test_a_transfer_is_open_until_its_answer_and_its_request_waits_for_it() -> None:
    transfers = Transfers()
    first, second = send(transfers, "ask:ada 1"), send(transfers)
    assert first != second
    assert [*transfers.open] == [first, second]
    assert transfers.asks["ask:ada 1"].transfer.key == first
    transfers.apply(TransferEnded(first, accepted=True))
    assert [*transfers.open] == [second]
    assert not transfers.asks


def test_a_pit_is_left_only_when_it_has_heard_of_all_that_was_sent() -> None:
    """Money that is on its way may arrive after he left with the rest."""
    transfers = Transfers()
    send(transfers)
    send(transfers)
    assert not transfers.is_gone("ada", AWAY, processed=1)
    assert transfers.is_gone("ada", AWAY, processed=2)
    transfers.apply(TransferArrived("transfer:9:1", "ada", AWAY, accepted=True))
    assert [*transfers.visited["ada"]] == [AWAY]
    transfers.apply(TransferArrived("transfer:9:2", "ada", AWAY, accepted=True, gone=True))
    assert not transfers.visited["ada"]
    assert transfers.count_sent("ada", AWAY) == 2, "the count goes on when he comes again"


def test_every_event_is_read_as_it_was_written() -> None:
    sent = TransferSent(Transfer("transfer:1:1", "ada", "T1", 500, 2, left=True, processed=3), AWAY, "ask:ada 1", b"x")
    arrived, ended = TransferArrived("transfer:1:1", "ada", HOME, False), TransferEnded("transfer:1:1", False, True)
    for event in (sent, arrived, ended):
        assert read_transfer_event(*encode_event(event)) == event
