"""Chat, mutes and the lobby (V-62, V-63, R-45, ASVS 1.2, X-06)."""

from __future__ import annotations

import msgspec
import pytest

from tests.support.house import NOON
from tests.support.house_in_memory import HouseInMemory
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.store.audit_log import ChatMuted, read_entries
from ventuno.house.tables import lobby
from ventuno.house.tables.chat import (
    MAX_LENGTH,
    RATE,
    WINDOW,
    Chat,
    ChatMessage,
    Improper,
    MessageUnfit,
    Muted,
    MuteUnfit,
    TooFast,
)


def test_v62_a_message_is_kept_and_composed() -> None:
    foyer = HouseInMemory()
    said = foyer.chat.say("T1", "1", "  buona   fortuna a tutti, perche\u0301 no  ", NOON)
    assert isinstance(said, ChatMessage)
    assert said.text == "buona fortuna a tutti, perché no"
    assert [one.stream for one in said.batch.records] == ["chat:T1"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\u3164",
        "\u115f \u1160",
        "\u2800\ufe0f",
        "\u034f",
        "x" * (MAX_LENGTH + 1),
        "ciao\u202egnp.exe",
        "a\x00b",
        "a\x1b[31mb",
        "\u2067x",
        "line\u2028two",
        "\ud800",
    ],
)
def test_form_of_messages(text: str) -> None:
    """Length, control and bidi characters; nothing of it is written."""
    foyer = HouseInMemory()
    assert isinstance(foyer.chat.say("T1", "1", text, NOON), MessageUnfit)
    assert foyer.journal.head("chat:T1").seq == 0


@pytest.mark.parametrize(
    "text",
    [
        "sei uno stronzo",
        "STRONZO!",
        "str0nz0",
        "strónzo",
        "strooonzooo",
        "s t r o n z o",
        "che c4zz0",
        "VAFFANCULO",
        "f.u.c.k",
        "c a z z o",
        "C.A.Z.Z.O",
        "c_a_z_z_o",
        "che c 4 z z 0 fai",
        "p-u-t-t-a-n-a",
        "a s s h o l e",
        "f a g g o t",
        "ca\u034fzzo",
        "caz\ufe0fzo",
    ],
)
def test_v63_improper_words_are_not_sent(text: str) -> None:
    assert HouseInMemory().chat.say("T1", "1", text, NOON) == Improper()


@pytest.mark.parametrize(
    "text",
    [
        "che mano!",
        "assolutamente",
        "21 e 100",
        "<script>alert(1)</script>",
        "in bocca al lupo",
        "class",
        "a b c d e",
        "👍",
        "❤\ufe0f",
        "A B C o D? io dico B",
        "e a me? a o b?",
        "l'asso e il 10, o no",
        "c a s s a",
        "c a p o",
        "passo e chiudo, sei un asso",
        "che pazzo, mi hai ammazzato il mazzo",
        "al cazzotto preferisco la carezza",
        "le scorie, la storia, la gloria",
        "Scunthorpe, Sussex, a cocktail and a shuttle",
        "assess the bass, pass the class",
        "i s p l i t 8 s",
        "w h o r u",
        "b u s t",
        "s h o e",
        "f u n k",
    ],
)
def test_decent_words_pass(text: str) -> None:
    """Markup is text like any other: it is shown as text."""
    assert isinstance(HouseInMemory().chat.say("T1", "1", text, NOON), ChatMessage)


def test_the_list_is_the_houses() -> None:
    foyer = HouseInMemory()
    strict = Chat(foyer.journal, foyer.audit, improper=["bischero"])
    assert isinstance(strict.say("T1", "1", "Bischero!", NOON), Improper)
    assert isinstance(strict.say("T1", "1", "stronzo", NOON), ChatMessage)


def test_the_longest_and_the_shortest_message() -> None:
    assert isinstance(HouseInMemory().chat.say("T1", "1", "ab" * (MAX_LENGTH // 2), NOON), ChatMessage)
    assert isinstance(HouseInMemory().chat.say("T1", "1", "x", NOON), ChatMessage)


def test_pace() -> None:
    chat = HouseInMemory().chat
    for _ in range(RATE):
        assert isinstance(chat.say("T1", "1", "ciao", NOON), ChatMessage)
    assert chat.say("T2", "1", "ciao", NOON + 1) == TooFast(RATE, WINDOW // 1000, WINDOW - 1)
    assert isinstance(chat.say("T1", "2", "ciao", NOON), ChatMessage)
    assert isinstance(chat.say("T1", "1", "ciao", NOON + WINDOW), ChatMessage)


def test_r45_mute_with_reason_and_duration_recorded_and_lasting() -> None:
    """V-63: at every table, over a crash, to its very end."""
    foyer = HouseInMemory()
    foyer.keep(foyer.chat.mute("T1", "1", "sup", "insulti al banco", 30, NOON))
    for _ in range(2):
        end = NOON + 30 * MINUTE
        assert foyer.chat.say("T2", "1", "ciao", end - 1) == Muted(end, "insulti al banco")
        foyer.crash()
    assert isinstance(foyer.chat.say("T1", "1", "ciao", end), ChatMessage)
    noted = [one.event for one in read_entries(foyer.disk.streams["house"])]
    assert noted == [ChatMuted("1", "sup", "insulti al banco", end)]


def test_unmute_and_unfit_mutes() -> None:
    foyer = HouseInMemory()
    foyer.keep(foyer.chat.mute("T1", "1", "sup", "reason", 30, NOON))
    foyer.keep(foyer.chat.unmute("T1", "1", "sup", NOON + 1))
    foyer.crash()
    assert isinstance(foyer.chat.say("T1", "1", "ciao", NOON + 2), ChatMessage)
    for reason, minutes in (("", 5), ("  ", 5), ("x", 0), ("x", -1), ("x", 10**9)):
        assert isinstance(foyer.chat.mute("T1", "1", "sup", reason, minutes, NOON), MuteUnfit)


def test_lobby_lists_tables_without_anything_private() -> None:
    """Seats, limits, pace, streaks, phase; no name, no purse, no card; other people's solo tables are not there."""
    foyer = HouseInMemory(9)
    ada, bea = foyer.joined("Ada", 100_000), foyer.joined("Bea", 100_000)
    foyer.open("ventuno", "T1")
    foyer.open("first-person", "F1", ada)
    foyer.open("link", "L1", bea)
    foyer.practise(ada, foyer.authority.tables["L1"].table.sheet)
    foyer.sit(ada, "T1", 1, 12_345)
    foyer.round("T1", {ada: (1, 1_000)})
    lines = lobby.list_tables(foyer.authority.tables.values(), ada)
    assert [line.table for line in sorted(lines, key=lambda one: one.table)] == ["F1", "T1"]
    assert [line.table for line in lobby.list_tables(foyer.authority.tables.values())] == ["T1"]
    shared = next(line for line in lines if line.table == "T1")
    assert (shared.seats - shared.free, shared.game, shared.paused) == (1, "ventuno", False)
    text = msgspec.json.encode(lines).decode()
    assert str(foyer.authority.tables["T1"].table.purse(ada)) not in text
    assert '"player"' not in text
