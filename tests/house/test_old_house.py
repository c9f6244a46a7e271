"""A house of an earlier version opens, replays, verifies and settles as it did then (R-06, G-4, T-11)."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import old_house, reference_engine
from tests.support.house import certify
from tests.support.old_house import FACTS, FIXTURE, Visitor, change, command, query
from ventuno.core.scenario import notation
from ventuno.house.shoes.shoe_document import scenario_to_dict
from ventuno.sheets import GAMES, load

EXPECTED: dict[str, Any] = json.loads(gzip.decompress((FIXTURE / "expected.json.gz").read_bytes()))


class Visit(NamedTuple):
    """The old house after this version has opened it, told everybody what is theirs, and played every round on."""

    data: Path
    served: dict[str, Any]
    before: dict[str, int]
    after: dict[str, int]
    gains: dict[str, int]
    receipts: dict[str, Any]
    recovery: list[int]
    refused: dict[str, str]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The books as they were left; only read."""
    return old_house.unpack(tmp_path_factory.mktemp("old"))


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Visit:
    data = old_house.unpack(tmp_path_factory.mktemp("opened"))
    with old_house.serve(data, old_house.hold_time) as house, old_house.log_in(house) as people:
        assert {name: one.answer.status_code for name, one in people.items()} == dict.fromkeys(people, 200)
        recovery = []
        for code in FACTS["recovery"]["Bea"][:1] * 2:
            with Visitor(house, "Bea", code) as bea:
                recovery.append(bea.answer.status_code)
        served = old_house.read_served(people)
        tables = [json.loads(file.read_text())["checkpoint"]["table"] for file in receipt_files()]
        owners = {table: "Bea" if table.endswith(f"-{FACTS['players']['Bea']}") else "Ada" for table in tables}
        receipts = {table: people[owner].get(f"/api/tables/{table}/receipt") for table, owner in owners.items()}
        players = {name: people[name] for name in ("Ada", "Bea", "Dora")}
        before = {name: one.wealth() for name, one in players.items()}
        known = {name: {line["code"] for line in one.rounds()} for name, one in players.items()}
        old_house.go_on(data)
        asyncio.run(old_house.finish_all(people))
        after = {name: one.wealth() for name, one in players.items()}
        gains = {
            name: sum(line["net"] for line in one.rounds() if line["code"] not in known[name])
            for name, one in players.items()
        }
        refused = {name: refusal(people[name]) for name in ("Elio", "Cleo")}
        with Visitor(house, "Fabio") as fabio:
            refused["Fabio"] = fabio.answer.json()["error"]["code"]
    return Visit(data, served, before, after, gains, receipts, recovery, refused)


def refusal(visitor: Visitor) -> str:
    """Why this player may not bring money to a game, empty where he may."""
    answer = visitor.http.post("/api/cashier/deposits", json={"amount": 100}, headers={"Idempotency-Key": "k" * 16})
    return str(answer.json()["error"]["code"]) if answer.is_error else ""


def receipt_files() -> list[Path]:
    return sorted((FIXTURE / "receipts").glob("*.json"))


def test_the_fixture_holds_what_later_versions_must_read(untouched: Path) -> None:
    """Open rounds, limits, corrections and all the rest are there: the tests below are not empty."""
    kinds = set(EXPECTED["books"]["kinds"])
    wanted = {"LimitSet", "RaiseAsked", "RaiseConfirmed", "Excluded", "CoolOffTaken", "CorrectionMade", "RoundVoided"}
    wanted |= {"MessageSent", "BehindAllowed", "ShoeOpened", "SecondFactorSet", "RightsChanged", "ManifestTaken"}
    assert wanted - kinds == set(), kinds
    assert query(untouched, "SELECT count(*) FROM snapshots")[0][0] > 1
    assert query(untouched, "SELECT count(*) FROM milestones")[0][0] >= 1
    assert {row[6] for row in EXPECTED["books"]["rounds"]} == {"ventuno", "first-person", "sisal", "duello", "link"}
    assert [row[0] for row in EXPECTED["books"]["rounds"] if row[8]] == [FACTS["voided"]]
    assert {"insurance", "decision", "duel", "link", "wheel", "betting", "live"} == set(FACTS["open"])


def test_the_books_are_sound_and_read_only_by_commands(untouched: Path) -> None:
    """I-1…I-3: postings sum to nothing and make the balances; a command that reads changes nothing."""
    assert old_house.read_books(untouched) == EXPECTED["books"]
    assert query(untouched, "SELECT sum(amount) FROM postings")[0][0] == 0
    sums = dict(query(untouched, "SELECT account, sum(amount) FROM postings GROUP BY account HAVING sum(amount) <> 0"))
    assert sums == EXPECTED["books"]["balances"]


def test_the_books_are_checked_from_the_first_record_and_are_sound(untouched: Path) -> None:
    """Also the snapshots, which say less than those of today; a fault planted in one of them is found."""
    code, told = command("check", "--data", str(untouched), "--json")
    assert (code, json.loads(told)["faults"]) == (0, [])
    assert json.loads(told)["rounds"] == len(old_house.codes(untouched))


def test_every_round_replays_as_it_was_played(untouched: Path) -> None:
    codes = old_house.codes(untouched)
    assert codes == list(EXPECTED["replay"])
    for code in codes:
        told = old_house.replay(code, "--database", f"sqlite:///{untouched}/house.db")
        assert told == EXPECTED["replay"][code] | {"scans": []}
        assert told["agrees"] is not False


def add_said_since(verdict: dict[str, Any], game: str) -> dict[str, Any]:
    """The verdict of then with what is said since: of these shoes nobody signed a promise, nobody kept anything, no
    beacon took part, and no draws were sealed.
    """
    basis: dict[str, Any] = {
        "rests_on": "players" if verdict["is_verifiable"] else "house",
        "signers": 0,
        "matches": [],
        "beacon": "",
    }
    return verdict | basis | {"notes": verdict["notes"] + (game == "link")}


def test_every_shoe_of_the_books_verifies(untouched: Path) -> None:
    shoes = {verdict["root"]: code for code, verdict in EXPECTED["verify"].items()}
    games = {row[0]: row[6] for row in EXPECTED["books"]["rounds"]}
    assert "link" in {games[code] for code in shoes.values()}
    for code in shoes.values():
        verdict = add_said_since(EXPECTED["verify"][code], games[code])
        assert old_house.verify(code, "--database", f"sqlite:///{untouched}/house.db") == verdict
        assert verdict["holds"]


def test_documents_that_players_kept_verify(tmp_path: Path) -> None:
    """Also against the key that they noted; another key is no proof."""
    for file in old_house.documents(tmp_path):
        verdict = old_house.verify(str(file))
        game = json.loads(file.read_text())["commitment"]["game"]
        assert verdict == add_said_since(EXPECTED["documents"][file.stem], game)
        assert old_house.verify(str(file), "--key", verdict["key"]) == verdict
        assert command("verify", str(file), "--key", "00" * 32)[0] == 1


def test_a_changed_card_of_a_document_is_found(tmp_path: Path) -> None:
    for file in old_house.documents(tmp_path):
        document = json.loads(file.read_text())
        shown = document["dealt"][0]
        shown["card"] = "2C" if shown["card"] != "2C" else "3C"
        file.write_text(json.dumps(document))
        code, out = command("verify", str(file))
        assert code == 1, out
        assert "does not hold" in out


def test_the_export_holds_and_its_rounds_replay(tmp_path: Path) -> None:
    file = old_house.exported(tmp_path)
    assert old_house.examine(file.read_bytes().splitlines(keepends=True)) == ()
    listed = {line["code"] for line in map(json.loads, file.read_text().splitlines()) if line["line"] == "round"}
    latest = {told["game"]: code for code, told in EXPECTED["replay"].items() if code in listed}
    assert len(latest) >= 4
    for code in latest.values():
        assert old_house.replay(code, "--from", str(file)) == EXPECTED["replay"][code] | {"scans": []}


def test_a_changed_line_of_the_export_is_found(tmp_path: Path) -> None:
    file = old_house.exported(tmp_path)
    lines = file.read_bytes().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if b"RoundSettled" in line)
    changed = json.loads(lines[place])
    changed["at"] += 1
    lines[place] = json.dumps(changed, separators=(",", ":")).encode() + b"\n"
    assert old_house.examine(lines) != ()
    file.write_bytes(b"".join(lines))
    code, out = command("replay", next(iter(EXPECTED["replay"])), "--from", str(file))
    assert code == 1, out


def test_a_changed_byte_of_the_books_is_found(tmp_path: Path) -> None:
    """A house whose records were edited does not open."""
    data = old_house.unpack(tmp_path)
    body = query(data, "SELECT body FROM log WHERE stream = 'house' AND seq = 7")[0][0]
    edited = body[:-2] + bytes([body[-2] ^ 1]) + body[-1:]
    change(data, "UPDATE log SET body = ? WHERE stream = 'house' AND seq = 7", edited)
    with pytest.raises(AssertionError, match="did not open"), old_house.serve(data):
        pass


def test_a_changed_record_of_a_round_is_found(tmp_path: Path) -> None:
    data = old_house.unpack(tmp_path)
    code, stream, first = query(data, "SELECT code, stream, first FROM rounds WHERE game = 'sisal'")[0]
    change(data, "UPDATE log SET at = at + 1 WHERE stream = ? AND seq = ?", stream, first)
    answer, out = command("replay", code, "--database", f"sqlite:///{data}/house.db")
    assert answer == 1, out
    assert "does not hold" in out


def test_everybody_is_told_what_the_old_version_told(visit: Visit) -> None:
    """Money, history, rounds in full, limits, exclusions, transactions, settings, the audit log, certificates."""
    for part, told in EXPECTED["served"].items():
        assert keep_what_was_told(visit.served[part], told) == told, part


def keep_what_was_told(now: Any, then: Any) -> Any:
    """What is served now without what the old version did not have: fields, and the line of a shared round."""
    if isinstance(now, dict) and isinstance(then, dict):
        lineless = {"line": ""} if then.get("line") == "" else {}
        return {key: keep_what_was_told(value, then[key]) for key, value in now.items() if key in then} | lineless
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [keep_what_was_told(one, other) for one, other in zip(now, then, strict=True)]
    return now


def test_receipts_that_players_kept_are_those_of_the_house(visit: Visit) -> None:
    """A house that showed another history of the same height would be caught with them (G-14)."""
    for file in receipt_files():
        kept = json.loads(file.read_text())
        assert visit.receipts[kept["checkpoint"]["table"]] == kept


def test_second_factors_and_closed_accounts_stay(visit: Visit) -> None:
    """A recovery code opens once; exclusions and a closed account are still in force."""
    assert visit.recovery == [200, 401]
    assert visit.refused == {"Elio": "PlayExcluded", "Cleo": "", "Fabio": "AccountClosed"}


def test_open_rounds_are_played_on_and_settled(visit: Visit) -> None:
    """The cards of the old shoes come as they lie, and every payout is the one of the old version."""
    books = ("--database", f"sqlite:///{visit.data}/house.db")
    for name, told in EXPECTED["finished"].items():
        finished = old_house.replay(told["code"], *books)
        assert finished["agrees"]
        assert {field: finished[field] for field in told} == told, name
    for left in FACTS["open"].values():
        if left["code"]:
            assert old_house.verify(left["code"], *books)["holds"]


def test_t11_open_rounds_of_every_game_end_under_the_rules_they_began_with(tmp_path: Path) -> None:
    """This version has other rules for each game: no open round is paid by them, new players read them."""
    data = old_house.unpack(tmp_path)
    changed = {game: load(game, changes) for game, changes in old_house.RULES.items()}
    certify(data, *changed.values())
    assert {told["game"] for told in EXPECTED["finished"].values()} == set(GAMES) == set(changed)
    with old_house.serve(data, old_house.change_rules_and_hold_time) as house, old_house.log_in(house) as people:
        for game, sheet in changed.items():
            assert people["Gino"].get(f"/api/games/{game}")["sheet"] == sheet.hash
        old_house.go_on(data)
        asyncio.run(old_house.finish_all(people))
    books = ("--database", f"sqlite:///{data}/house.db")
    for name, told in EXPECTED["finished"].items():
        finished = old_house.replay(told["code"], *books)
        assert {field: finished[field] for field in told} == told, name
        assert finished["sheet"] != changed[told["game"]].hash


def test_r16_rounds_of_the_old_house_pay_what_an_engine_that_is_not_ours_pays() -> None:
    offers = load("first-person").cash_out
    games = set()
    for told in [*EXPECTED["replay"].values(), *EXPECTED["finished"].values()]:
        if told["voided"] or not told["line"]:
            continue
        document = scenario_to_dict(notation.read(told["line"]))
        lines = reference_engine.settle(document, {"hard": offers.hard, "soft": offers.soft}, limits=False)
        keys = ("player", "bet", "stake", "returned", "box", "hand")
        paid = [(*line[:4], *line[6:]) for line in told["bets"]]
        assert sorted(tuple(line.get(key, 0) for key in keys) for line in lines) == sorted(paid), told["code"]
        games.add(told["game"])
    assert games == set(GAMES)


def test_money_is_conserved_by_what_was_played_on(visit: Visit) -> None:
    assert {name: visit.after[name] - visit.before[name] for name in visit.before} == visit.gains
    assert query(visit.data, "SELECT sum(balance) FROM accounts")[0][0] == 0
    sums = query(visit.data, "SELECT account, sum(amount) FROM postings GROUP BY account ORDER BY account")
    assert sums == query(visit.data, "SELECT account, balance FROM accounts ORDER BY account")
    assert set(EXPECTED["replay"]) < set(old_house.codes(visit.data))


def test_chains_only_grew(visit: Visit) -> None:
    """Nothing that the old version wrote was changed: every end of then is still in its chain."""
    for stream, (seq, digest) in EXPECTED["books"]["heads"].items():
        rows = query(visit.data, f"SELECT hash FROM log WHERE stream = '{stream}' AND seq = {seq}")
        assert rows[0][0].hex() == digest, stream


def test_the_house_opens_again_after_it(visit: Visit) -> None:
    """What this version wrote beside the old records is whole too."""
    with old_house.serve(visit.data) as house:
        assert house.get("/readyz").status_code == 200
