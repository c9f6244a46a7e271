"""Everything that can have happened at a table: the closed vocabulary of the log."""

from __future__ import annotations

from typing import TypeAlias

from ventuno.core.messages.round_events import (
    BoardSpun,
    CommunityChosen,
    DealerChose,
    DealerDrew,
    DecisionAsked,
    DecisionReplaced,
    DuelDealt,
    EarlyChosen,
    Follow,
    FollowSkipped,
    HandCashedOut,
    HandDoubled,
    HandFolded,
    HandHit,
    HandsDealt,
    HandSplit,
    HandStood,
    HandSurrendered,
    HiddenTurned,
    HoleTurned,
    InsuranceAnswered,
    InsuranceClosed,
    Peeked,
    RoundAbandoned,
    RoundSettled,
    RoundVoided,
    WheelSpun,
)
from ventuno.core.messages.table_events import (
    BehindAllowed,
    BetPlaced,
    BetRemoved,
    BetsFinalised,
    BettingEnded,
    BettingOpened,
    FollowChosen,
    LimitsChanged,
    MoneyBrought,
    MoneyTaken,
    SeatFreed,
    SeatLeaving,
    SeatTaken,
    SeatWarned,
    ShoeLoaded,
    ShoeRetired,
    TableClosed,
    TableClosingBy,
    TablePausedBy,
    TableResumed,
    Wager,
)

Event: TypeAlias = (
    MoneyBrought
    | MoneyTaken
    | SeatTaken
    | SeatLeaving
    | SeatFreed
    | SeatWarned
    | BehindAllowed
    | FollowChosen
    | ShoeLoaded
    | ShoeRetired
    | BettingOpened
    | BetPlaced
    | BetRemoved
    | BetsFinalised
    | BettingEnded
    | HandsDealt
    | DuelDealt
    | InsuranceAnswered
    | InsuranceClosed
    | Peeked
    | DecisionAsked
    | EarlyChosen
    | DecisionReplaced
    | FollowSkipped
    | HandHit
    | HandStood
    | HandDoubled
    | HandSplit
    | HandCashedOut
    | HandSurrendered
    | HandFolded
    | CommunityChosen
    | HiddenTurned
    | WheelSpun
    | BoardSpun
    | HoleTurned
    | DealerDrew
    | DealerChose
    | RoundAbandoned
    | RoundSettled
    | RoundVoided
    | LimitsChanged
    | TablePausedBy
    | TableResumed
    | TableClosingBy
    | TableClosed
)

__all__ = [
    "BehindAllowed",
    "BetPlaced",
    "BetRemoved",
    "BetsFinalised",
    "BettingEnded",
    "BettingOpened",
    "BoardSpun",
    "CommunityChosen",
    "DealerChose",
    "DealerDrew",
    "DecisionAsked",
    "DecisionReplaced",
    "DuelDealt",
    "EarlyChosen",
    "Event",
    "Follow",
    "FollowChosen",
    "FollowSkipped",
    "HandCashedOut",
    "HandDoubled",
    "HandFolded",
    "HandHit",
    "HandSplit",
    "HandStood",
    "HandSurrendered",
    "HandsDealt",
    "HiddenTurned",
    "HoleTurned",
    "InsuranceAnswered",
    "InsuranceClosed",
    "LimitsChanged",
    "MoneyBrought",
    "MoneyTaken",
    "Peeked",
    "RoundAbandoned",
    "RoundSettled",
    "RoundVoided",
    "SeatFreed",
    "SeatLeaving",
    "SeatTaken",
    "SeatWarned",
    "ShoeLoaded",
    "ShoeRetired",
    "TableClosed",
    "TableClosingBy",
    "TablePausedBy",
    "TableResumed",
    "Wager",
    "WheelSpun",
]
