"""What a player must hear now: his session is over, play is closed to him, a check is due, he is muted, a code for a
new password was created for his account (R-37, R-40, ASVS 6.4).

Asked of the house as it stands, for one player at a time; whoever asks remembers what was said before.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.accounts import Account
from ventuno.house.accounts.player_limits import PlayExcluded
from ventuno.house.application import Application
from ventuno.house.protection.limit_check import RealityCheckDue
from ventuno.house.tables.chat import Muted
from ventuno.web.messages.server_messages import Notice, NoticeKind

SESSION_OVER, PLAY_CLOSED = 4004, 4005


class Notified(NamedTuple):
    """What a socket has heard: until when he is muted, which check or limit, which code for a new password."""

    muted: int = 0
    check: tuple[object, ...] = ()
    reset: int = 0


NOT_NOTIFIED = Notified()


class Closing(NamedTuple):
    """The last word to a socket, and the code it is closed with."""

    notice: Notice
    code: int


class Quiet(NamedTuple):
    """Nothing is to be said to a socket before a moment, as long as the account is this very one and no mute begins."""

    account: Account
    until: int
    is_limited: bool
    """Whether he has limits of his own: what they leave him changes with every stake, here and elsewhere."""


def quiet_until(app: Application, player: PlayerId, session: str, at: int) -> Quiet | None:
    """How long a socket that has heard everything hears nothing by itself; None while there is something."""
    if find_closing(app, player, session, at):
        return None
    until = min(app.accounts.get_session_expiry(player, session), app.protection.get_next_due(player))
    account = app.accounts[player]
    return Quiet(account, until, bool(account.player_limits.limits)) if at < until else None


def find_closing(app: Application, player: PlayerId, session: str, at: int) -> Closing | None:
    """Why this socket has to close: the account, the player's own choice, or the session."""
    account = app.accounts[player]
    if reason := account.player.disabled:
        return Closing(Notice("disabled", numbers={"reason": reason}), PLAY_CLOSED)
    if refusal := account.player_limits.check_play(at):
        return Closing(_notice("excluded" if isinstance(refusal, PlayExcluded) else "cool-off", refusal), PLAY_CLOSED)
    if reason := app.accounts.get_session_end(player, session):
        return Closing(Notice("session-over", numbers={"reason": reason}), SESSION_OVER)
    return None


def find_news(app: Application, player: PlayerId, before: Notified, at: int) -> tuple[Notified, list[Notice]]:
    """What a socket has not heard yet, and what it will have heard then."""
    muted, due = app.chat.find_mute(player), app.protection.find_due(player, at)
    notices: list[Notice] = []
    until = muted.until if muted else 0
    if until != before.muted:
        notices.append(_notice("muted", muted) if isinstance(muted, Muted) else Notice("unmuted"))
    check: tuple[object, ...] = ()
    if due:
        check = (due.code, app.accounts[player].sessions.reality_since())
        if check != before.check:
            notices.append(_notice("reality-check" if isinstance(due, RealityCheckDue) else "account", due))
    if (reset := app.accounts.get_reset_expiry(player)) and reset != before.reset:
        notices.append(Notice("reset-code", numbers={"until": reset}))
    return Notified(until, check, reset or before.reset), notices


def _notice(kind: NoticeKind, refusal: Refusal) -> Notice:
    return Notice(kind, numbers={"code": refusal.code, **msgspec.to_builtins(refusal)})
