"""Faults of the authority: keys, senders, recovery, the chain."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from tests.support.simulation import world
from tests.support.simulation.disk import Disk
from tests.support.simulation.fault import Any_, fault
from ventuno.core.messages.commands import BringMoney, LoadShoe, Pause, Resume, Tick, TimeOut, Void
from ventuno.core.table import betting
from ventuno.house.store import records
from ventuno.house.store.records import Head, KeyRow
from ventuno.house.tables import authority
from ventuno.house.tables.authority import Answer, Authority, Request


@fault((Authority, "handle"))
def key_is_not_looked_up(right: Any_) -> Any:
    def handle(self: Authority, request: Request) -> Any:
        self.keys.pop(request.key, None)
        return right(self, request)

    return handle


@fault((Request, "digest"))
def key_serves_for_any_body(_right: Any_) -> Any:
    return lambda _self: b"same"


@fault((Authority, "handle"))
def key_is_remembered_of_what_was_refused(right: Any_) -> Any:
    def handle(self: Authority, request: Request) -> Any:
        decided = right(self, request)
        if decided.batch is None and request.key not in self.keys:
            answer = msgspec.json.encode(Answer(request.table, decided.answer.version))
            self.keys[request.key] = KeyRow(request.key, request.digest(), answer)
        return decided

    return handle


@fault((Authority, "recover"))
def keys_are_lost_in_a_crash(right: Any_) -> Any:
    return lambda self, streams, _keys, balances: right(self, streams, (), balances)


@fault((Authority, "recover"))
def last_record_is_lost_in_a_crash(right: Any_) -> Any:
    return lambda self, streams, keys, balances: right(self, [one[:-1] for one in streams], keys, balances)


@fault((Authority, "recover"))
def stakes_in_play_are_lost_in_a_crash(right: Any_) -> Any:
    def recover(self: Authority, streams: Any, keys: Any, balances: dict[str, int]) -> None:
        right(self, streams, keys, {name: sum_ for name, sum_ in balances.items() if "in-play" not in name})

    return recover


@fault((authority, "recover_table"))
def cards_are_drawn_again_after_a_crash(right: Any_) -> Any:
    def recovered(*given: Any) -> Any:
        found = right(*given)
        shoe = found.table.shoe
        return replace(found, table=found.table._replace(shoe=shoe and shoe.after(1)))

    return recovered


@fault((Disk, "commit"))
def acknowledged_batch_is_not_written(right: Any_) -> Any:
    return lambda self, batch: None if batch.rounds else right(self, batch)


@fault((Authority, "_check_sender"))
def anybody_speaks_for_anybody(right: Any_) -> Any:
    def spoken(self: Authority, held: Any, request: Request) -> Any:
        return right(self, held, replace(request, player=getattr(request.command, "player", "")))

    return spoken


@fault((Authority, "_check_sender"))
def players_say_what_the_house_says(right: Any_) -> Any:
    def spoken(self: Authority, held: Any, request: Request) -> Any:
        house = isinstance(request.command, Tick | TimeOut | LoadShoe | Pause | Resume | Void)
        return request.command if house else right(self, held, request)

    return spoken


@fault((Authority, "_check_sender"))
def players_name_their_own_level(right: Any_) -> Any:
    return lambda self, held, request: right(self, held, replace(request, trusted=True))


@fault((Authority, "_check_sender"))
def money_is_brought_that_is_not_there(right: Any_) -> Any:
    def spoken(self: Authority, held: Any, request: Request) -> Any:
        same = isinstance(request.command, BringMoney) and request.command.player == request.player
        return request.command if same else right(self, held, request)

    return spoken


@fault((records, "check_chain"), (authority, "check_chain"), (world, "check_chain"))
def damage_to_the_chain_is_not_seen(_right: Any_) -> Any:
    return lambda listed, head=None: Head(listed[-1].seq, listed[-1].hash) if listed else head


@fault((records, "hash_record"))
def hash_leaves_out_the_body(right: Any_) -> Any:
    return lambda previous, stream, seq, at, kind, _body: right(previous, stream, seq, at, kind, b"")


@fault((betting, "game_code"))
def round_codes_repeat(right: Any_) -> Any:
    return lambda name, _at, _number: right(name, 0, 1)
