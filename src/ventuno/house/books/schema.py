"""The one schema of the house, for SQLite and for PostgreSQL, and every question that is asked of it.

Rows are only ever added, but for what is derived and kept beside them: running balances, heads and snapshots.
Statements are written once in SQLAlchemy Core and handed to each driver as text: the drivers are the hot path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import fields
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Index,
    LargeBinary,
    MetaData,
    Select,
    Table,
    Text,
    bindparam,
    case,
    func,
    not_,
    select,
    tuple_,
)
from sqlalchemy.engine.interfaces import Dialect

from ventuno.house.books.records import Batch

REVISION = "r0003"
"""The newest step of `migrations`: a database that is there needs no migration, and no Alembic."""

metadata = MetaData()

log = Table(
    "log",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
heads = Table(
    "heads",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
postings = Table(
    "postings",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("line", BigInteger, primary_key=True, autoincrement=False),
    Column("account", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("criterion", Text, nullable=False),
    Column("arithmetic", Text, nullable=False),
    sqlite_with_rowid=False,
)
accounts = Table(
    "accounts",
    metadata,
    Column("account", Text, primary_key=True),
    Column("balance", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
keys = Table(
    "keys",
    metadata,
    Column("key", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Column("place", BigInteger, nullable=False, unique=True),
    sqlite_with_rowid=False,
)
rounds = Table(
    "rounds",
    metadata,
    Column("code", Text, primary_key=True),
    Column("stream", Text, nullable=False),
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("game", Text, nullable=False),
    Column("sheet", Text, nullable=False),
    Column("voided", Boolean, nullable=False),
    Column("practice", Boolean, nullable=False),
    Index("rounds_by_end", "ended", "code"),
    Index("rounds_by_start", "started", "code"),
    sqlite_with_rowid=False,
)
shares = Table(
    "shares",
    metadata,
    Column("code", Text, primary_key=True),
    Column("player", Text, primary_key=True),
    Column("ended", BigInteger, nullable=False),
    Column("staked", BigInteger, nullable=False),
    Column("returned", BigInteger, nullable=False),
    Index("shares_by_player", "player", "ended", "code"),
    Index("shares_by_end", "ended", "code", "player"),
    sqlite_with_rowid=False,
)
snapshots = Table(
    "snapshots",
    metadata,
    Column("stream", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
names = Table(
    "names",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    sqlite_with_rowid=False,
)

_OF_FIELD: dict[str, Table] = {
    "records": log,
    "postings": postings,
    "keys": keys,
    "rounds": rounds,
    "shares": shares,
    "names": names,
}
APPENDED: tuple[tuple[str, Table], ...] = tuple(
    (field.name, _OF_FIELD[field.name]) for field in fields(Batch) if field.name in _OF_FIELD
)
"""The fields of a batch and where their rows go: columns in the order of the row type, `line` and `place` added.

Primary keys come first: the check of SQLite 3.40 wrongly finds NULLs in tables without rowid where they do not.
"""

UPSERTED: dict[str, str] = {
    "heads": "ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash",
    "snapshots": "ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, body = excluded.body",
    "accounts": "ON CONFLICT (account) DO UPDATE SET balance = accounts.balance + excluded.balance "
    "RETURNING account, balance",
}
"""What happens where the row is there already. Accounts give the new balance back, so that it can be judged (I-2)."""


def _starts(column: ColumnElement[str]) -> ColumnElement[bool]:
    prefix = bindparam("prefix", type_=Text)
    return func.substr(column, 1, func.length(prefix)) == prefix


def _number(name: str) -> ColumnElement[int]:
    return bindparam(name, type_=BigInteger)


def _text(name: str) -> ColumnElement[str]:
    return bindparam(name, type_=Text)


def _whole(sum_of: ColumnElement[Any]) -> ColumnElement[int]:
    """PostgreSQL sums into decimals."""
    return func.cast(sum_of, BigInteger)


def _limit() -> ColumnElement[int]:
    return bindparam("limit", type_=BigInteger)


class Question(NamedTuple):
    """A statement as a driver takes it, the names of its values in order, and those that never change."""

    text: str
    names: tuple[str, ...]
    constants: dict[str, Any]

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        return [given[name] if name in given else self.constants[name] for name in self.names]


_tail = heads.join(snapshots, snapshots.c.stream == heads.c.stream, isouter=True).join(
    log, (log.c.stream == heads.c.stream) & (log.c.seq >= func.coalesce(snapshots.c.seq, 1))
)
_share_of = (shares.c.player == bindparam("player", type_=Text)) & (
    (shares.c.ended < bindparam("ended", type_=BigInteger))
    | ((shares.c.ended == bindparam("ended", type_=BigInteger)) & (shares.c.code < bindparam("code", type_=Text)))
)

_money = shares.join(rounds, rounds.c.code == shares.c.code)
_account = (
    (shares.c.player == _text("player"))
    & not_(rounds.c.practice)
    & shares.c.ended.between(_number("first"), _number("last"))
    & ((_text("game") == "") | (rounds.c.game == _text("game")))
)
_round_after = tuple_(rounds.c.ended, rounds.c.code) > tuple_(_number("ended"), _text("code"))
_share_after = tuple_(shares.c.ended, shares.c.code, shares.c.player) > tuple_(
    _number("ended"), _text("code"), _text("player")
)
_line_after = tuple_(postings.c.seq, postings.c.line) > tuple_(_number("seq"), _number("line"))

_results = (
    select(rounds.c.game, func.sum(shares.c.staked - shares.c.returned).label("house"))
    .select_from(_money)
    .where(not_(rounds.c.voided), not_(rounds.c.practice))
    .group_by(rounds.c.code, rounds.c.game)
    .subquery()
)
_sign = case((_results.c.house > 0, 1), (_results.c.house < 0, -1), else_=0)

QUESTIONS: dict[str, Select[Any]] = {
    "heads": select(heads).where(_starts(heads.c.stream)).order_by(heads.c.stream),
    "records": select(log)
    .where(
        log.c.stream == bindparam("stream", type_=Text),
        log.c.seq > bindparam("after", type_=BigInteger),
        log.c.seq <= bindparam("upto", type_=BigInteger),
    )
    .order_by(log.c.seq)
    .limit(_limit()),
    "tails": select(log).select_from(_tail).where(_starts(heads.c.stream)).order_by(log.c.stream, log.c.seq),
    "snapshots": select(snapshots).where(_starts(snapshots.c.stream)),
    "key": select(keys.c.key, keys.c.digest, keys.c.answer).where(keys.c.key == bindparam("key", type_=Text)),
    "recent": select(keys.c.key, keys.c.digest, keys.c.answer).order_by(keys.c.place.desc()).limit(_limit()),
    "used": select(keys.c.key).where(keys.c.key > bindparam("after", type_=Text)).order_by(keys.c.key).limit(_limit()),
    "place": select(func.coalesce(func.max(keys.c.place), 0)),
    "accounts": select(accounts),
    "sums": select(postings.c.account, _whole(func.sum(postings.c.amount))).group_by(postings.c.account),
    "postings": select(*[column for column in postings.columns if column is not postings.c.line])
    .where(
        postings.c.stream == bindparam("stream", type_=Text),
        postings.c.seq >= bindparam("first", type_=BigInteger),
        postings.c.seq <= bindparam("last", type_=BigInteger),
    )
    .order_by(postings.c.seq, postings.c.line),
    "round": select(rounds).where(rounds.c.code == bindparam("code", type_=Text)),
    "history": select(shares).where(_share_of).order_by(shares.c.ended.desc(), shares.c.code.desc()).limit(_limit()),
    "account": select(shares.c.code, rounds.c.game, shares.c.ended, shares.c.staked, shares.c.returned, rounds.c.voided)
    .select_from(_money)
    .where(_share_of, _account)
    .order_by(shares.c.ended.desc(), shares.c.code.desc())
    .limit(_limit()),
    "account totals": select(
        rounds.c.voided, func.count(), _whole(func.sum(shares.c.staked)), _whole(func.sum(shares.c.returned))
    )
    .select_from(_money)
    .where(_account)
    .group_by(rounds.c.voided),
    "flows": select(shares)
    .select_from(_money)
    .where(shares.c.ended > _number("since"), not_(rounds.c.voided), not_(rounds.c.practice))
    .order_by(shares.c.ended, shares.c.code, shares.c.player),
    "shares of": select(shares).where(shares.c.code == _text("code")).order_by(shares.c.player),
    "all shares": select(shares)
    .where(_share_after)
    .order_by(shares.c.ended, shares.c.code, shares.c.player)
    .limit(_limit()),
    "all rounds": select(rounds).where(_round_after).order_by(rounds.c.ended, rounds.c.code).limit(_limit()),
    "voided": select(rounds).where(rounds.c.voided, not_(rounds.c.practice)).order_by(rounds.c.ended, rounds.c.code),
    "outcomes": select(_results.c.game, _sign, func.count()).group_by(_results.c.game, _sign),
    "settlements": select(rounds.c.code, rounds.c.ended, log.c.body)
    .select_from(rounds.join(log, (log.c.stream == rounds.c.stream) & (log.c.seq == rounds.c.last)))
    .where(_round_after, rounds.c.game == _text("game"), not_(rounds.c.voided), not_(rounds.c.practice))
    .order_by(rounds.c.ended, rounds.c.code)
    .limit(_limit()),
    "rounds started": select(rounds)
    .where(rounds.c.started >= _number("first"), rounds.c.started <= _number("last"))
    .order_by(rounds.c.started.desc(), rounds.c.code.desc()),
    "lines": select(postings)
    .where(postings.c.stream == _text("stream"), postings.c.seq <= _number("upto"), _line_after)
    .order_by(postings.c.seq, postings.c.line)
    .limit(_limit()),
    "posted": select(postings.c.stream).distinct().order_by(postings.c.stream),
    "all names": select(names).where(names.c.kind == _text("kind")).order_by(names.c.name),
    "name": select(names.c.owner).where(
        names.c.kind == bindparam("kind", type_=Text), names.c.name == bindparam("name", type_=Text)
    ),
}


def questions(dialect: Dialect) -> dict[str, Question]:
    """All questions in the words of one database."""
    made = {}
    for name, statement in QUESTIONS.items():
        compiled = statement.compile(dialect=dialect)
        names = [str(value) for value in compiled.positiontup or ()]
        made[name] = Question(str(compiled), tuple(names), dict(compiled.params))
    return made
