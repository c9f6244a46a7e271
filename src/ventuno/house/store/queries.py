"""Every query of the store, written once in SQLAlchemy Core for each database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    Text,
    bindparam,
    case,
    func,
    literal_column,
    not_,
    select,
    tuple_,
)
from sqlalchemy.engine.interfaces import Dialect

from ventuno.house.store.schema import (
    accounts,
    heads,
    keys,
    log,
    milestones,
    names,
    postings,
    rounds,
    shares,
    snapshots,
)


def _starts_with_prefix(column: ColumnElement[str]) -> ColumnElement[bool]:
    prefix = _text("prefix")
    return func.substr(column, 1, func.length(prefix)) == prefix


def _number(name: str) -> ColumnElement[int]:
    return bindparam(name, type_=BigInteger)


def _text(name: str) -> ColumnElement[str]:
    return bindparam(name, type_=Text)


def _as_integer(sum_of: ColumnElement[Any]) -> ColumnElement[int]:
    """PostgreSQL sums into decimals."""
    return func.cast(sum_of, BigInteger)


class Query(NamedTuple):
    """A statement as a driver takes it, the names of its values in order, and those that never change."""

    text: str
    names: tuple[str, ...]
    constants: dict[str, Any]

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        return [given[name] if name in given else self.constants[name] for name in self.names]


_tails = heads.join(snapshots, snapshots.c.stream == heads.c.stream, isouter=True).join(
    log, (log.c.stream == heads.c.stream) & (log.c.seq >= func.coalesce(snapshots.c.seq, 1))
)
_share_of = (shares.c.player == _text("player")) & (
    (shares.c.ended < _number("ended")) | ((shares.c.ended == _number("ended")) & (shares.c.code < _text("code")))
)

_rounds_for_money = shares.join(rounds, rounds.c.code == shares.c.code)
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
_results = (
    select(rounds.c.game, func.sum(shares.c.staked - shares.c.returned).label("house"))
    .select_from(_rounds_for_money)
    .where(not_(rounds.c.voided), not_(rounds.c.practice))
    .group_by(rounds.c.code, rounds.c.game)
    .subquery()
)
_day = shares.c.ended // literal_column("86400000", BigInteger)
"""Written out: PostgreSQL takes a bound value for another one each time it stands in a statement."""
_sign = case((_results.c.house > 0, 1), (_results.c.house < 0, -1), else_=0)

STATEMENTS: dict[str, Select[Any]] = {
    "heads": select(heads).where(_starts_with_prefix(heads.c.stream)).order_by(heads.c.stream),
    "records": select(log)
    .where(
        log.c.stream == _text("stream"),
        log.c.seq > _number("after"),
        log.c.seq <= _number("upto"),
    )
    .order_by(log.c.seq)
    .limit(_number("limit")),
    "tails": select(log)
    .select_from(_tails)
    .where(_starts_with_prefix(heads.c.stream))
    .order_by(log.c.stream, log.c.seq),
    "snapshots": select(snapshots).where(_starts_with_prefix(snapshots.c.stream)),
    "milestone": select(milestones.c.stream, milestones.c.seq, milestones.c.body, milestones.c.mark)
    .where(milestones.c.stream == _text("stream"), milestones.c.mark <= _number("mark"))
    .order_by(milestones.c.mark.desc(), milestones.c.seq.desc())
    .limit(1),
    "key": select(keys.c.key, keys.c.digest, keys.c.answer).where(keys.c.key == _text("key")),
    "recent": select(keys.c.key, keys.c.digest, keys.c.answer).order_by(keys.c.place.desc()).limit(_number("limit")),
    "used": select(keys.c.key).where(keys.c.key > _text("after")).order_by(keys.c.key).limit(_number("limit")),
    "place": select(func.coalesce(func.max(keys.c.place), 0)),
    "accounts": select(accounts),
    "sums": select(postings.c.account, _as_integer(func.sum(postings.c.amount))).group_by(postings.c.account),
    "postings": select(*[column for column in postings.columns if column is not postings.c.line])
    .where(
        postings.c.stream == _text("stream"),
        postings.c.seq >= _number("first"),
        postings.c.seq <= _number("last"),
    )
    .order_by(postings.c.seq, postings.c.line),
    "round": select(rounds).where(rounds.c.code == _text("code")),
    "account": select(shares.c.code, rounds.c.game, shares.c.ended, shares.c.staked, shares.c.returned, rounds.c.voided)
    .select_from(_rounds_for_money)
    .where(_share_of, _account)
    .order_by(shares.c.ended.desc(), shares.c.code.desc())
    .limit(_number("limit")),
    "account totals": select(
        rounds.c.voided, func.count(), _as_integer(func.sum(shares.c.staked)), _as_integer(func.sum(shares.c.returned))
    )
    .select_from(_rounds_for_money)
    .where(_account)
    .group_by(rounds.c.voided),
    "flows": select(shares)
    .select_from(_rounds_for_money)
    .where(shares.c.ended > _number("since"), not_(rounds.c.voided), not_(rounds.c.practice))
    .order_by(shares.c.ended, shares.c.code, shares.c.player),
    "shares of": select(shares).where(shares.c.code == _text("code")).order_by(shares.c.player),
    "all shares": select(shares)
    .where(_share_after)
    .order_by(shares.c.ended, shares.c.code, shares.c.player)
    .limit(_number("limit")),
    "all rounds": select(rounds).where(_round_after).order_by(rounds.c.ended, rounds.c.code).limit(_number("limit")),
    "voided": select(rounds).where(rounds.c.voided, not_(rounds.c.practice)).order_by(rounds.c.ended, rounds.c.code),
    "outcomes": select(_results.c.game, _sign, func.count()).group_by(_results.c.game, _sign),
    "days": select(
        _day,
        rounds.c.game,
        func.count(shares.c.code.distinct()),
        _as_integer(func.sum(shares.c.staked)),
        _as_integer(func.sum(shares.c.returned)),
    )
    .select_from(_rounds_for_money)
    .where(shares.c.ended.between(_number("first"), _number("last")), not_(rounds.c.voided), not_(rounds.c.practice))
    .group_by(_day, rounds.c.game)
    .order_by(_day, rounds.c.game),
    "settlements": select(rounds.c.code, rounds.c.ended, log.c.body)
    .select_from(rounds.join(log, (log.c.stream == rounds.c.stream) & (log.c.seq == rounds.c.last)))
    .where(_round_after, rounds.c.game == _text("game"), not_(rounds.c.voided), not_(rounds.c.practice))
    .order_by(rounds.c.ended, rounds.c.code)
    .limit(_number("limit")),
    "rounds started": select(rounds)
    .where(rounds.c.started >= _number("first"), rounds.c.started <= _number("last"))
    .order_by(rounds.c.started.desc(), rounds.c.code.desc()),
    "all names": select(names).where(names.c.kind == _text("kind")).order_by(names.c.name),
    "name": select(names.c.owner).where(names.c.kind == _text("kind"), names.c.name == _text("name")),
}


def compile_queries(dialect: Dialect) -> dict[str, Query]:
    """All queries in the dialect of one database."""
    queries = {}
    for name, statement in STATEMENTS.items():
        compiled = statement.compile(dialect=dialect)
        names = [str(value) for value in compiled.positiontup or ()]
        queries[name] = Query(str(compiled), tuple(names), dict(compiled.params))
    return queries
