"""Account histories made in memory from rounds and shares, to compare those of a store with."""

from collections.abc import Iterable, Mapping

from ventuno.house.history.account_history import HistoryLine, HistoryTotals
from ventuno.house.store.records import RoundRow, ShareRow


def list_lines(shares: Iterable[ShareRow], rounds: Mapping[str, RoundRow]) -> list[HistoryLine]:
    """The rounds of these shares, latest finished first: what a store is to answer."""
    listed = [
        HistoryLine(row.code, row.game, *share[2:], share.returned - share.staked, row.voided)
        for share in shares
        if not (row := rounds[share.code]).practice
    ]
    return sorted(listed, key=lambda line: (line.ended, line.code), reverse=True)


def sum_lines(listed: Iterable[HistoryLine]) -> HistoryTotals:
    counted = HistoryTotals()
    for line in listed:
        if line.voided:
            counted = counted._replace(voided=counted.voided + 1)
        else:
            counted = HistoryTotals(
                counted.rounds + 1,
                counted.staked + line.staked,
                counted.returned + line.returned,
                counted.net + line.net,
                counted.voided,
            )
    return counted
