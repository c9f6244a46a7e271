"""Faults of several hosts: each must break a world within the worlds of one run (G-6).

Each puts a wrong function in the place of a right one, as a careless change of the pits or of their host would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tests.support.pit_simulation import opening
from tests.support.pit_simulation.disk import Disk
from tests.support.pit_simulation.hosts import Host, Owned
from tests.support.pit_simulation.world import World
from tests.support.simulation.fault import Any_, Fault
from ventuno.house.pits import leases, pit
from ventuno.house.pits.granting import Granting, Holder
from ventuno.house.pits.holdings import Holding, Holdings
from ventuno.house.pits.messages import Grant, Message, Transfer, TransferReply
from ventuno.house.pits.pit import Books, Outcome, Pit
from ventuno.house.pits.pit_shoes import PitShoes
from ventuno.house.store.records import Batch
from ventuno.house.tables.authority import Decision, LiveTable

FAULTS: list[Fault] = []


def fault(*places: tuple[Any, str]) -> Callable[[Callable[[Any_], Any]], Callable[[Any_], Any]]:
    def note(mutant: Callable[[Any_], Any]) -> Callable[[Any_], Any]:
        FAULTS.append(Fault(mutant.__name__.replace("_", "-"), places, mutant))
        return mutant

    return note


@contextmanager
def plant(one: Fault) -> Iterator[None]:
    """The pits with this fault; the shared openings are made before."""
    for variant in range(opening.VARIANTS):
        opening.make_opening(variant)
    rights = [(owner, name, getattr(owner, name)) for owner, name in one.places]
    for owner, name, right in rights:
        setattr(owner, name, one.mutant(right))
    try:
        yield
    finally:
        for owner, name, right in rights:
            setattr(owner, name, right)


@fault((leases, "check_fence"))
def fence_is_not_checked(_right: Any_) -> Any:
    return lambda _lease, _epoch: None


@fault((leases, "take"))
def epoch_is_not_raised(right: Any_) -> Any:
    return lambda lease, node, now: right(lease, node, now)._replace(epoch=max(lease.epoch, 2))


@fault((Pit, "_seat"))
def refusal_is_not_written_under_the_key(right: Any_) -> Any:
    def seat(self: Pit, sender: int, transfer: Transfer, at: int) -> Outcome:
        outcome: Outcome = right(self, sender, transfer, at)
        if outcome.batch and not outcome.events:
            del self.authority.keys[transfer.key]
            return Outcome(Batch(records=outcome.batch.records), messages=outcome.messages)
        return outcome

    return seat


@fault((Pit, "_seat"))
def refusal_is_told_and_not_written(right: Any_) -> Any:
    def seat(self: Pit, sender: int, transfer: Transfer, at: int) -> Outcome:
        outcome: Outcome = right(self, sender, transfer, at)
        return replace(outcome, batch=None) if outcome.batch and not outcome.events else outcome

    return seat


@fault((Pit, "_seat"))
def doubled_transfer_is_paid_again(right: Any_) -> Any:
    def seat(self: Pit, sender: int, transfer: Transfer, at: int) -> Outcome:
        self.authority.keys.pop(transfer.key, None)
        outcome: Outcome = right(self, sender, transfer, at)
        return outcome

    return seat


@fault((Pit, "_take_home"))
def doubled_money_comes_home_again(right: Any_) -> Any:
    def take_home(self: Pit, sender: int, transfer: Transfer, at: int) -> Any:
        self.authority.keys.pop(transfer.key, None)
        return right(self, sender, transfer, at)

    return take_home


@fault((Pit, "_end"))
def refused_money_does_not_come_back(right: Any_) -> Any:
    return lambda self, reply, at: right(self, replace(reply, refused=""), at)


@fault((Pit, "_end"))
def late_reply_ends_a_transfer_again(right: Any_) -> Any:
    def end(self: Pit, reply: TransferReply, at: int) -> Any:
        before = dict(self.transfers.open)
        outcome = right(self, reply, at)
        self.transfers.open.update(before)
        return outcome

    return end


@fault((Pit, "recover"))
def outbox_is_forgotten_at_a_take_over(right: Any_) -> Any:
    def recover(self: Pit, books: Books) -> None:
        right(self, books)
        self.transfers.open.clear()

    return recover


@fault((Pit, "recover"))
def keys_are_forgotten_at_a_take_over(right: Any_) -> Any:
    return lambda self, books: right(self, replace(books, keys=()))


@fault((Pit, "recover"))
def visited_pits_are_forgotten_at_a_take_over(right: Any_) -> Any:
    def recover(self: Pit, books: Books) -> None:
        right(self, books)
        self.granting._holders.clear()

    return recover


@fault((Pit, "remind"))
def transfers_are_not_repeated(right: Any_) -> Any:
    def remind(self: Pit, at: int) -> Outcome:
        outcome: Outcome = right(self, at)
        return replace(outcome, messages=tuple(m for m in outcome.messages if not isinstance(m.body, Transfer)))

    return remind


@fault((Pit, "remind"))
def limits_are_not_told_again(right: Any_) -> Any:
    def remind(self: Pit, at: int) -> Outcome:
        outcome: Outcome = right(self, at)
        return replace(outcome, messages=tuple(m for m in outcome.messages if not isinstance(m.body, Grant)))

    return remind


@fault((pit, "name_account"))
def money_of_guests_is_posted_as_free(right: Any_) -> Any:
    return lambda account, number, player="": right(account, number, player).replace(":moving", "")


@fault((Host, "do"))
def messages_go_out_before_the_commit(right: Any_) -> Any:
    def do(self: Host, owned: Owned, outcome: Outcome) -> None:
        for message in outcome.messages:
            self.world.checks.told(message)
            self.world.send(message)
        right(self, owned, replace(outcome, messages=()))

    return do


@fault((Host, "do"))
def answers_go_out_before_the_commit(right: Any_) -> Any:
    def do(self: Host, owned: Owned, outcome: Outcome) -> None:
        for key, answer in outcome.answers:
            self.world.answer(key, answer)
        right(self, owned, replace(outcome, answers=()))

    return do


@fault((Host, "do"))
def confirmation_does_not_wait_for_bets(right: Any_) -> Any:
    """What writes nothing is told at once, past bets that were decided before it and are not durable."""

    def do(self: Host, owned: Owned, outcome: Outcome) -> None:
        if outcome.batch is None:
            for message in outcome.messages:
                self.world.send(message)
            outcome = replace(outcome, messages=())
        right(self, owned, outcome)

    return do


@fault((Host, "flush"))
def batches_are_committed_out_of_order(right: Any_) -> Any:
    def flush(self: Host, owned: Owned, most: int) -> None:
        owned.waiting.reverse()
        right(self, owned, most)

    return flush


@fault((Host, "commit"))
def answers_are_given_by_a_fenced_owner(_right: Any_) -> Any:
    """Only what is written asks the fence: a zombie answers from its memory."""

    def commit(self: Host, owned: Owned, outcome: Outcome) -> None:
        if outcome.batch:
            self.world.disk.commit(owned.pit.number, owned.pit.epoch, outcome.batch)
            self.world.checks.committed(owned.pit.number, owned.pit.epoch, outcome.batch)

    return commit


@fault((Pit, "pause_tables"))
def tables_resume_without_a_pause(_right: Any_) -> Any:
    return lambda _self, _last: []


@fault((Granting, "sum_rooms"))
def granted_room_is_not_counted_as_used(_right: Any_) -> Any:
    return lambda _self, _player, _besides=-1: 0


@fault((Holder, "count_room"))
def room_not_confirmed_is_not_counted(right: Any_) -> Any:
    """The newest grant is taken for the one in force, though its pit may not have heard of it."""

    def count_room(self: Holder) -> Any:
        rooms = self.rooms
        self.rooms = {number: rooms[number] for number in [*rooms][-1:]}
        try:
            return right(self)
        finally:
            self.rooms = rooms

    return count_room


@fault((Holder, "count_room"))
def open_stakes_away_are_not_counted(right: Any_) -> Any:
    def count_room(self: Holder) -> Any:
        staked, self.open_stakes = self.open_stakes, 0
        try:
            return right(self)
        finally:
            self.open_stakes = staked

    return count_room


@fault((Holder, "count_room"))
def grant_without_a_bound_counts_as_nothing(right: Any_) -> Any:
    def count_room(self: Holder) -> Any:
        rooms = self.rooms
        self.rooms = {number: room or 0 for number, room in rooms.items()}
        try:
            return right(self)
        finally:
            self.rooms = rooms

    return count_room


@fault((Holdings, "take_grant"))
def older_grant_replaces_a_newer_one(right: Any_) -> Any:
    def take_grant(self: Holdings, grant: Grant) -> Any:
        self._holdings.setdefault(grant.player, Holding()).grant = None
        return right(self, grant)

    return take_grant


@fault((Granting, "take_report"))
def older_report_replaces_a_newer_one(right: Any_) -> Any:
    def take_report(self: Granting, number: int, epoch: int, report: Any) -> Any:
        holder = self._holders.get(report.player, {}).get(number)
        if holder:
            holder.report = -1
        return right(self, number, epoch, report)

    return take_report


@fault((Granting, "add_holder"))
def pit_that_may_hold_a_grant_counts_as_empty(right: Any_) -> Any:
    return lambda self, player, number, epoch, **_is_new: right(self, player, number, epoch, is_new=True)


@fault((Granting, "is_obeyed"))
def change_is_acknowledged_before_tables_confirm(_right: Any_) -> Any:
    return lambda _self, _player, _version: True


@fault((Granting, "grant"))
def change_is_acknowledged_when_it_is_told(right: Any_) -> Any:
    def grant(self: Granting, player: str, number: int, at: int, wanted: int = 0) -> Any:
        given = right(self, player, number, at, wanted)
        self._holders[player][number].version = given.version
        return given

    return grant


@fault((World, "_remind"))
def lapsed_lease_counts_as_lost(right: Any_) -> Any:
    """By the clock alone: nobody has raised the epoch, and the owner may wake."""

    def remind(self: World, host: Host, number: int, owned: Owned) -> None:
        for lease in self.disk.leases.values():
            for player, holders in owned.pit.granting._holders.items():
                holder = holders.get(lease.pit)
                if holder and lease.until <= self.now:
                    holder.rooms, holder.version = {}, owned.pit.granting.get_version(player)
        right(self, host, number, owned)

    return remind


@fault((Disk, "take"))
def epochs_of_others_are_not_read_at_a_take_over(right: Any_) -> Any:
    def take(self: Disk, number: int, node: str, now: int) -> Any:
        epochs = right(self, number, node, now)
        return epochs and {other: epoch if other == number else min(epoch, 2) for other, epoch in epochs.items()}

    return take


@fault((World, "find_owner"), (Pit, "receive"))
def message_to_an_owner_of_before_is_read(right: Any_) -> Any:
    """Whoever has the pit now hears what was sent to the owner before him."""

    def find_owner(self: World, number: int, epoch: int) -> Any:
        return right(self, number, max(epoch, self.disk.leases[number].epoch))

    def receive(self: Pit, message: Message, at: int) -> Any:
        return right(self, message._replace(receiver_epoch=self.epoch), at)

    return find_owner if right.__name__ == "find_owner" else receive


@fault((Granting, "count_rounds"))
def rounds_of_the_owner_before_are_not_counted(right: Any_) -> Any:
    return lambda self, player, reading, _shares: right(self, player, reading, ())


@fault((Holdings, "add_share"))
def rounds_since_the_grant_are_not_counted(_right: Any_) -> Any:
    return lambda _self, _share: None


@fault((PitShoes, "recover"))
def open_round_is_forgotten_by_the_log_of_its_shoe(right: Any_) -> Any:
    def recover(self: PitShoes, *given: Any) -> None:
        right(self, *given)
        for log in self.logs.logs.values():
            log.opening, log.log = None, []

    return recover


@fault((PitShoes, "recover"))
def logs_of_shoes_are_not_folded_at_a_take_over(_right: Any_) -> Any:
    return lambda _self, *_given: None


@fault((PitShoes, "record"))
def log_of_a_shoe_is_not_in_the_commit_of_its_round(right: Any_) -> Any:
    def record(self: PitShoes, before: LiveTable, decision: Decision, at: int) -> Decision:
        right(self, before, decision, at)
        return decision

    return record
