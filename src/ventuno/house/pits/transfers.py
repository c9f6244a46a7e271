"""Money between a player's home and the pit of a table, exactly once: the stream of a pit is its outbox.

Home writes `player:N -> player:N:moving`, the table `player:N:moving -> player:N:table`, and back the same way. A
transfer is open from the record that sends it to the record of its answer, and is repeated as long as it is open. What
the other side did is durable there under the transfer's key, a refusal too: a late double could be paid otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, assert_never, get_args

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.ledger import Posting
from ventuno.house.pits.messages import Transfer
from ventuno.house.pits.placement import PitNumber, find_player_pit
from ventuno.house.store.records import make_reader

PLAYER, MOVING = "player:", ":moving"
AWAY = "moving"
"""In the wallet of one pit: the other side of all that left it or came to it."""


@dataclass(frozen=True, slots=True)
class TransferSent:
    """Money left this pit for another. `ask` and `digest` are of the request that waits for the answer, if one does."""

    transfer: Transfer
    receiver: PitNumber
    ask: str = ""
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class TransferArrived:
    """A transfer was taken here, or refused. `gone`: its player has nothing left in the pit it came from."""

    key: str
    player: PlayerId
    sender: PitNumber
    accepted: bool
    gone: bool = False


@dataclass(frozen=True, slots=True)
class TransferEnded:
    """The answer to what this pit sent. `gone`: its player has nothing in the pit it went to."""

    key: str
    accepted: bool
    gone: bool = False


TransferEvent: TypeAlias = TransferSent | TransferArrived | TransferEnded
read_transfer_event: Callable[[str, bytes], TransferEvent] = make_reader(get_args(TransferEvent))


class Transfers:
    """The fold of a pit's stream: what is open, how many went where, and which pits hold something of a player."""

    def __init__(self) -> None:
        self.open: dict[str, TransferSent] = {}
        self.asks: dict[str, TransferSent] = {}
        """Open transfers by the request that waits for them."""
        self.visited: dict[PlayerId, dict[PitNumber, None]] = {}
        """The pits that may hold something of a player who is at home here."""
        self._sent: dict[tuple[PlayerId, PitNumber], int] = {}
        self._arrived: dict[PlayerId, int] = {}
        self._count = 0

    def name_next(self, pit: PitNumber) -> str:
        """The key of the next transfer. One that was never durable was never told, and its key is free again."""
        return f"transfer:{pit}:{self._count + 1}"

    def count_sent(self, player: PlayerId, pit: PitNumber) -> int:
        return self._sent.get((player, pit), 0)

    def count_arrived(self, player: PlayerId) -> int:
        return self._arrived.get(player, 0)

    def is_gone(self, player: PlayerId, pit: PitNumber, processed: int) -> bool:
        """Whether a pit that has nothing left of a player has heard of all that was sent to it."""
        return processed == self.count_sent(player, pit)

    def apply(self, event: TransferEvent) -> None:
        match event:
            case TransferSent(transfer, receiver, ask):
                self._count += 1
                self.open[transfer.key] = event
                if ask:
                    self.asks[ask] = event
                place = transfer.player, receiver
                if receiver != find_player_pit(transfer.player):
                    self._sent[place] = self._sent.get(place, 0) + 1
                    self.visited.setdefault(transfer.player, {})[receiver] = None
            case TransferArrived(_, player, sender, _, gone):
                self._arrived[player] = self._arrived.get(player, 0) + 1
                if gone:
                    self._leave(player, sender)
            case TransferEnded(key, _, gone):
                sent = self.open.pop(key)
                self.asks.pop(sent.ask, None)
                if gone:
                    self._leave(sent.transfer.player, sent.receiver)
            case _:
                assert_never(event)

    def _leave(self, player: PlayerId, pit: PitNumber) -> None:
        self.visited.get(player, {}).pop(pit, None)


def make_postings(player: PlayerId, amount: Cents) -> tuple[Posting, Posting]:
    """Money of a player leaves his home; a negative amount comes back. What is away is one account of the wallet."""
    return Posting(f"{PLAYER}{player}", -amount), Posting(AWAY, amount)


def is_free_money(account: str) -> bool:
    """Whether this is what a player has at home, neither at a table nor on its way."""
    return account.startswith(PLAYER) and account.count(":") == 1


def name_account(account: str, pit: PitNumber, player: PlayerId = "") -> str:
    """An account of the wallet of a pit as it is stored: money at tables and the house's own have a row for each pit.

    Free money of a player who is not at home here is on its way: he has none in this pit.

    >>> name_account("house:ventuno", 17), name_account("player:3:table", 17), name_account("moving", 17, "3")
    ('house:ventuno#17', 'player:3:table#17', 'player:3:moving')
    """
    if account == AWAY:
        return f"{PLAYER}{player}{MOVING}"
    if is_free_money(account):
        return account if find_player_pit(account.removeprefix(PLAYER)) == pit else f"{account}{MOVING}"
    return f"{account}#{pit}"


def read_balances(stored: dict[str, Cents], pit: PitNumber) -> dict[str, Cents]:
    """The wallet of a pit from the stored balances: its own rows, and what left it or came to it as one account."""
    balances: dict[str, Cents] = {}
    for account, amount in stored.items():
        name, _, place = account.partition("#")
        is_own = is_free_money(account) and find_player_pit(account.removeprefix(PLAYER)) == pit
        if is_own or place == str(pit):
            balances[name] = amount
    balances[AWAY] = -sum(balances.values())
    return balances
