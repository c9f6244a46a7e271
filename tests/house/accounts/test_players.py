"""Players: names, passwords, guests, logins, sessions, settings (R-38, R-42…R-44, V-71, ASVS 6, ASVS 7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from statistics import median
from time import process_time

import msgspec
import pytest

from tests.support.house import NOON
from tests.support.house_in_memory import ADA, HouseInMemory
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import passwords, registration, second_factor, settings, text_rules
from ventuno.house.accounts.accounts import PRIVATE
from ventuno.house.accounts.login import AccountClosed, Joined, WrongCredentials
from ventuno.house.accounts.login_throttle import Throttle, TryLater
from ventuno.house.accounts.passwords import Argon2, PasswordCommon, PasswordTooShort
from ventuno.house.accounts.players import NotAGuest, Role
from ventuno.house.accounts.registration import ITALIAN, Form, TaxIdTaken, UnderAge, compute_check_letter
from ventuno.house.accounts.sessions import (
    Entered,
    Identity,
    Session,
    SessionOver,
    Sessions,
    make_clock,
)
from ventuno.house.accounts.settings import Settings, SettingUnfit
from ventuno.house.store.audit_log import LoginFailed, read_entries
from ventuno.words import describe_reason, describe_refusal

GOOD = "correct horse battery"
MINUTE = 60_000
IDLE_LIMIT, BREAK, TOTAL_LIMIT = 30 * MINUTE, 30 * MINUTE, 12 * 60 * MINUTE
"""The idle minutes are those of R-43. A test that took them from the code would follow it wherever it goes."""


def entered(foyer: HouseInMemory, name: str = "Ada", password: str = GOOD, address: str = "10.0.0.1") -> Entered:
    found = foyer.reception.login(name, password, address, "test", foyer.now)
    assert isinstance(found, Entered), found
    foyer.keep(found.batch)
    return found


def code(first: str) -> str:
    return first + compute_check_letter(first)


@pytest.mark.parametrize(
    "raw",
    [
        "Ada",
        "Élodie",
        "E\u0301lodie",
        "anna-maria",
        "Adelaide",
        "Staffetta",
        "Dealert",
        "Moderna",
        "Sirio",
        "D'Arco",
        "Мария",
        "Nguyễn",
        "हिन्दी",
        "x\u0323\u0307y",
        "x_1",
        "  Ada  ",
    ],
)
def test_good_names(raw: str) -> None:
    name = text_rules.check_name(raw)
    assert isinstance(name, str)
    assert text_rules.check_name(name) == name


@pytest.mark.parametrize(
    "raw",
    [
        *("", "ab", "a" * 21, "a\u202eb c", "Ad\u200ba", "Ada\n", "A\x00da", "<b>Ada</b>", "-Ada", "A--da", "Аda"),
        *("A\u034fda", "Ada\ufe0f", "Ad\u17b4a", "\u3164" * 4, "A\u3164da", "\u115f\u1160\u115f", "Ada\U000e0041"),
        *("A\U000e0101da", "Ad\u180ba", "Ada\uffa0", "x\u0301\u0302\u0303yz", "Ada_\u0301b", "\u0301Ada"),
        *("Cazzo", "c_a_z_z_o", "Str0nz0 99", "mr Fuck"),
        *(
            "anna maria",
            "Ada\u00a0B",
            "Ada\u3000B",
            "Super-visore",
            "The_Dealer",
            "d.e.a.l.e.r",
            "Dealer1",
            "D3al3r",
            "Admin99",
        ),
        *("il-direttore", "Staff_Ventuno", "CROUPIER", "ada-moderatore", "Dott.Rossi", "mr_Bean", "Sig-Rossi"),
        *("Ospite-12", "SUPERVISOR", "Banco", "\u2066Ada\u2069", "Ada\ufeff", "🂡🂡🂡", "Ａ" * 30),
    ],
)
def test_names_refused(raw: str) -> None:
    """Controls, bidi, mixed scripts, markup, the house's own names."""
    no = text_rules.check_name(raw)
    assert isinstance(no, text_rules.NameUnfit)
    assert describe_reason(no.reason, asdict(no)) in describe_refusal(no)


def test_names_are_unique_whatever_the_spelling() -> None:
    foyer = HouseInMemory()
    foyer.joined("Élodie")
    for raw in ("élodie", "E\u0301LODIE", "ÉLODIE"):
        no = foyer.reception.register(Form(raw), GOOD, foyer.now)
        assert isinstance(no, text_rules.NameTaken), raw
    assert text_rules.make_look("Zo\u034fe\ufe0f") == text_rules.make_look("Zoe"), (
        "of an older account, from before they were refused"
    )
    foyer.joined("Zoe")
    assert isinstance(foyer.reception.register(Form("ＺＯＥ"), GOOD, foyer.now), text_rules.NameTaken)


@pytest.mark.parametrize(
    "word",
    [
        "password",
        "Juventus1897!",
        "P@ssw0rd!",
        "12345678",
        "qwertyui",
        "abcabcabc",
        "aaaaaaaa",
        "forzainter99",
        "Elodie12",
    ],
)
def test_common_passwords_are_refused(word: str) -> None:
    assert isinstance(passwords.check_password(word, "Elodie"), PasswordCommon)


def test_password_length_and_deny_list() -> None:
    """ASVS 6.2: at least 8, at least 64 allowed, a list of 3 000 and more, no rules of composition."""
    assert isinstance(passwords.check_password("Xy7!abc"), PasswordTooShort)
    assert passwords.check_password("correct horse battery") is None
    assert passwords.check_password("ananas e prosciutto crudo " * 4) is None
    assert isinstance(passwords.check_password("long enough " * 30), PasswordTooShort)
    ends = ("", "1", "12", "123", "1234", "!", "1!", "123!", "01", "2024", "2025", "2026", "21")
    words = {word + end for word in passwords.COMMON for end in ends if len(word + end) >= passwords.LEAST}
    listed = words | {word.capitalize() for word in words}
    assert len(listed) >= 3000
    assert [word for word in listed if passwords.check_password(word) is None] == []


def test_argon2id_costs_and_verification() -> None:
    """ASVS 11.4: argon2id, 19 MiB, t=2, p=1; a composed and a decomposed password are the same."""
    hasher = Argon2()
    stored = hasher.hash("perch\u00e9 no, davvero")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert hasher.verify(stored, "perche\u0301 no, davvero")
    assert not hasher.verify(stored, "perche no, davvero")
    assert not hasher.verify("not a hash", "x")


@pytest.mark.parametrize(
    ("born", "fine"), [("2010-01-01", False), ("2007-01-01", True), ("1850-01-01", False), ("x", False)]
)
def test_r42_under_age(born: str, fine: bool) -> None:
    foyer = HouseInMemory(rules=ITALIAN)
    made = foyer.reception.register(Form("Ada", born, ADA.tax), GOOD, NOON)
    assert isinstance(made, Joined) == fine


def test_r42_under_age_to_the_day() -> None:
    """NOON is the 21st of September 2026: eighteen today plays, eighteen tomorrow does not."""
    foyer = HouseInMemory(rules=ITALIAN)
    assert isinstance(foyer.reception.register(Form("Ada", "2008-09-22", ADA.tax), GOOD, NOON), UnderAge)
    assert isinstance(foyer.reception.register(Form("Ada", "2008-09-21", ADA.tax), GOOD, NOON), Joined)


def test_r42_one_account_per_tax_code() -> None:
    foyer = HouseInMemory(rules=ITALIAN)
    made = foyer.reception.register(ADA, GOOD, foyer.now)
    assert isinstance(made, Joined)
    foyer.keep(made.batch)
    foyer.crash()
    again = foyer.reception.register(Form("Bea", "1985-12-10", "rssmra 85t10a562s"), GOOD, foyer.now)
    assert isinstance(again, TaxIdTaken)
    assert isinstance(foyer.reception.register(Form("Bea", "1990-01-01", ""), GOOD, foyer.now), registration.TaxIdUnfit)
    wrong = foyer.reception.register(Form("Bea", "1985-12-10", "RSSMRA85T10A562T"), GOOD, foyer.now)
    assert isinstance(wrong, registration.TaxIdUnfit)
    other = Form("Bea", "1990-01-01", code("BNCBEA90A41H501"))
    assert isinstance(foyer.reception.register(other, GOOD, foyer.now), Joined)


def test_r38_an_excluded_person_opens_no_other_account() -> None:
    foyer = HouseInMemory(rules=ITALIAN)
    made = foyer.reception.register(ADA, GOOD, foyer.now)
    assert isinstance(made, Joined)
    foyer.keep(made.batch)
    foyer.keep(foyer.protection.exclude(made.player, 0, foyer.now))
    assert isinstance(foyer.reception.register(Form("Zoe", ADA.born, ADA.tax), GOOD, foyer.now), TaxIdTaken)


def test_guest_in_one_click_and_upgrade() -> None:
    """The guest keeps number, money and history; an account is upgraded no more."""
    foyer = HouseInMemory(rules=ITALIAN)
    guest = foyer.reception.enter_guest("10.0.0.1", "test", foyer.now)
    assert isinstance(guest, Entered)
    foyer.keep(guest.batch)
    foyer.deposit(guest.player, 5_000)
    assert foyer.accounts[guest.player].player.guest
    made = foyer.reception.upgrade(guest.player, ADA, foyer.hasher.hash(GOOD), foyer.now)
    assert isinstance(made, Joined)
    foyer.keep(made.batch)
    foyer.crash()
    account = foyer.accounts[guest.player]
    assert (account.player.name, account.player.guest) == ("Ada", False)
    assert foyer.authority.wallet.balance(f"player:{guest.player}") == 5_000
    assert isinstance(foyer.reception.upgrade(guest.player, ADA, "x", foyer.now), NotAGuest)
    assert foyer.accounts.find_by_name(f"Ospite-{guest.player}") is None
    assert entered(foyer).player == guest.player


def test_r44_last_login_is_shown() -> None:
    foyer = HouseInMemory()
    foyer.joined("Ada")
    first = entered(foyer)
    assert first.last_login == 0
    at = foyer.now
    foyer.wait(600)
    foyer.crash()
    assert entered(foyer).last_login == at


def test_same_answer_and_same_work_for_an_unknown_name() -> None:
    """ASVS 6.3: the decoy is verified; refusals are equal in every byte."""
    foyer = HouseInMemory()
    foyer.joined("Ada")
    known = foyer.reception.login("Ada", "wrong password", "10.0.0.1", "test", foyer.now)
    unknown = foyer.reception.login("Nobody", "wrong password", "10.0.0.2", "test", foyer.now)
    assert isinstance(known, tuple)
    assert isinstance(unknown, tuple)
    assert known[0] == unknown[0] == WrongCredentials()
    assert foyer.hasher.verified == [foyer.accounts["1"].player.password, foyer.hasher.decoy]
    assert isinstance(foyer.reception.login("Nobody", "nobody's", "10.0.0.3", "t", foyer.now), tuple)


def test_timing_of_unknown_names_with_the_real_hasher() -> None:
    """Medians of processor time within a factor; the planted short cut (no decoy) is caught by the same measure."""
    hasher = Argon2()
    stored, decoy = hasher.hash(GOOD), hasher.decoy

    def cost(against: str) -> float:
        return median(_timed(hasher, against) for _ in range(7))

    known, unknown, planted = cost(stored), cost(decoy), cost("no such user")
    assert 0.5 < unknown / known < 2
    assert not 0.5 < planted / known < 2


def _timed(hasher: Argon2, against: str) -> float:
    start = process_time()
    hasher.verify(against, "some guess or other")
    return process_time() - start


def test_throttle_of_ten_thousand_guesses() -> None:
    """ASVS 6.3, R-44: a script that tries once a second for a day gets through a few dozen times, not 10 000."""
    throttle = Throttle()
    tried = 0
    for second in range(10_000):
        if throttle.refuses("ada", f"10.0.{second % 200}.1", second * 1000) is None:
            tried += 1
            throttle.record_failure("ada", f"10.0.{second % 200}.1", second * 1000)
    assert tried < 30
    assert isinstance(throttle.refuses("ada", "10.9.9.9", 10_000_000), TryLater)


def test_throttle_by_address_and_forgiveness() -> None:
    throttle = Throttle()
    for number in range(25):
        throttle.record_failure(f"name{number}", "10.0.0.1", 1000)
    no = throttle.refuses("fresh", "10.0.0.1", 1000)
    assert no is not None
    assert 0 < no.seconds <= 900
    assert throttle.refuses("fresh", "10.0.0.2", 1000) is None
    for _ in range(6):
        throttle.record_failure("ada", "10.0.0.3", 1000)
    assert throttle.refuses("ada", "10.0.0.4", 1000)
    throttle.clear_account("ada")
    assert throttle.refuses("ada", "10.0.0.4", 1000) is None


def test_throttle_waits_double_to_the_second() -> None:
    """Five are free, the sixth waits from the fifth on: 1, 2, 4 … seconds, 15 minutes at most; a day forgets."""
    throttle, at = Throttle(), 1_000_000
    waits = []
    for number in range(20):
        throttle.record_failure("ada", f"10.0.0.{number}", at)
        no = throttle.refuses("ada", "10.9.9.9", at)
        waits.append(no.seconds if no else 0)
        if no:
            assert throttle.refuses("ada", "10.9.9.9", at + no.seconds * 1000 - 1) == TryLater(1)
            assert throttle.refuses("ada", "10.9.9.9", at + no.seconds * 1000) is None
    assert waits[:8] == [0, 0, 0, 0, 1, 2, 4, 8]
    assert waits[-1] == 900
    throttle.record_failure("ada", "10.0.0.1", at + 24 * 3_600_000)
    assert throttle.refuses("ada", "10.9.9.9", at + 24 * 3_600_000) is None


def test_r44_the_right_password_begins_the_count_of_guesses_anew() -> None:
    """ASVS 6.3: who mistypes now and then does not wait for it in the end."""
    foyer = HouseInMemory()
    foyer.joined("Ada")
    for _ in range(3):
        for _ in range(4):
            outcome = foyer.reception.login("Ada", "another word", "10.0.0.1", "test", foyer.now)
            assert isinstance(outcome, tuple), outcome
            assert outcome[0] == WrongCredentials()
        entered(foyer)


def test_r44_guesses_from_elsewhere_do_not_lock_out_who_was_in_before() -> None:
    """ASVS 6.3: also when that session is over."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    foyer.keep(foyer.tokens.close(ada, entered(foyer).session, foyer.now))
    for _ in range(8):
        outcome = foyer.reception.login("Ada", "another word", "10.0.0.9", "test", foyer.now)
        assert isinstance(outcome, tuple)
    stranger = foyer.reception.login("Ada", GOOD, "10.0.0.8", "test", foyer.now)
    assert isinstance(stranger, tuple)
    assert isinstance(stranger[0], TryLater)
    entered(foyer)


def test_throttled_guess_costs_no_hashing() -> None:
    foyer = HouseInMemory()
    foyer.joined("Ada")
    for _ in range(5):
        found = foyer.reception.login("Ada", "wrong password", "10.0.0.1", "t", foyer.now)
        assert isinstance(found, tuple)
        foyer.keep(found[1])
    done = len(foyer.hasher.verified)
    late = foyer.reception.login("ADA", GOOD, "10.0.0.9", "t", foyer.now)
    assert isinstance(late, tuple)
    assert isinstance(late[0], TryLater)
    assert len(foyer.hasher.verified) == done
    foyer.wait(1)
    entered(foyer)
    failures = [one for one in read_entries(foyer.disk.streams["house"]) if isinstance(one.event, LoginFailed)]
    assert len(failures) == 5


def test_secrets_stay_in_private_streams() -> None:
    """Passwords, tax codes, dates of birth, tokens: in `private:N` alone, and no token anywhere."""
    foyer = HouseInMemory(rules=ITALIAN)
    made = foyer.reception.register(ADA, GOOD, foyer.now)
    assert isinstance(made, Joined)
    foyer.keep(made.batch)
    token = entered(foyer).token
    for stream, records in foyer.disk.streams.items():
        text = b"".join(one.body for one in records).decode()
        assert token not in text
        assert GOOD not in text
        if not stream.startswith(PRIVATE):
            assert foyer.hasher.hash(GOOD) not in text
            assert ADA.tax not in text
            assert ADA.born not in text


def test_tokens_are_256_bits_and_rotated_at_login() -> None:
    foyer = HouseInMemory()
    foyer.joined("Ada")
    first, second = entered(foyer), entered(foyer)
    assert len(bytes.fromhex(first.token)) == 32
    assert first.token != second.token
    assert first.session != second.session
    assert isinstance(foyer.tokens.identify("f" * 64, foyer.now), SessionOver)
    assert isinstance(foyer.tokens.identify("", foyer.now), SessionOver)


def test_r43_thirty_minutes_idle() -> None:
    """R-43: the boundary, with activity that is not yet written down; after a crash never later than without."""
    foyer = HouseInMemory()
    foyer.joined("Ada")
    token = entered(foyer).token
    for _ in range(5):
        foyer.now += IDLE_LIMIT - 1
        known = foyer.tokens.identify(token, foyer.now)
        assert isinstance(known, Identity)
        foyer.disk.add(known.batch)
    foyer.crash()
    assert isinstance(foyer.tokens.identify(token, foyer.now + IDLE_LIMIT - 1), Identity)
    assert foyer.tokens.identify(token, foyer.now + 2 * IDLE_LIMIT) == SessionOver("no-activity")


def test_r43_idle_to_the_millisecond() -> None:
    foyer = HouseInMemory()
    foyer.joined("Ada")
    token = entered(foyer).token
    assert foyer.tokens.identify(token, foyer.now + IDLE_LIMIT) == SessionOver("no-activity")
    assert isinstance(foyer.tokens.identify(token, foyer.now + IDLE_LIMIT - 1), Identity)


def test_twelve_hours_whole() -> None:
    foyer = HouseInMemory()
    foyer.joined("Ada")
    token, start = entered(foyer).token, foyer.now
    while foyer.now < start + TOTAL_LIMIT - 10 * MINUTE:
        foyer.wait(10)
        known = foyer.tokens.identify(token, foyer.now)
        assert isinstance(known, Identity)
        foyer.disk.add(known.batch)
    assert isinstance(foyer.tokens.identify(token, start + TOTAL_LIMIT - 1), Identity)
    assert foyer.tokens.identify(token, start + TOTAL_LIMIT) == SessionOver("session-too-long")


def test_every_opening_and_closing_of_a_session_counts_as_a_change() -> None:
    """Who compares accounts by their sessions looks again after each: the count never comes back to an older one."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    counts = [foyer.tokens.changes]
    first = entered(foyer).session
    counts.append(foyer.tokens.changes)
    entered(foyer)
    counts.append(foyer.tokens.changes)
    foyer.keep(foyer.tokens.close(ada, first, foyer.now))
    counts.append(foyer.tokens.changes)
    assert counts == sorted(set(counts))


def test_activity_is_written_sparingly() -> None:
    foyer = HouseInMemory()
    foyer.joined("Ada")
    token = entered(foyer).token
    batches = []
    for _ in range(600):
        foyer.now += 1000
        known = foyer.tokens.identify(token, foyer.now)
        assert isinstance(known, Identity)
        batches.append(known.batch)
    assert sum(batch is not None for batch in batches) == 2


def test_list_and_kill_own_sessions_and_log_out_everywhere() -> None:
    foyer = HouseInMemory()
    ada, bea = foyer.joined("Ada"), foyer.joined("Bea")
    first, second, third = entered(foyer), entered(foyer), entered(foyer)
    other = entered(foyer, "Bea")
    assert {one.id for one in foyer.tokens.list_sessions(ada, foyer.now)} == {
        first.session,
        second.session,
        third.session,
    }
    assert isinstance(foyer.tokens.close(bea, first.session, foyer.now), Refusal)
    closed = foyer.tokens.close(ada, second.session, foyer.now)
    assert not isinstance(closed, Refusal)
    foyer.keep(closed)
    assert isinstance(foyer.tokens.identify(second.token, foyer.now), SessionOver)
    foyer.keep(foyer.tokens.close_all(ada, foyer.now, "logout everywhere", keep=third.session))
    foyer.crash()
    assert isinstance(foyer.tokens.identify(first.token, foyer.now), SessionOver)
    assert isinstance(foyer.tokens.identify(third.token, foyer.now), Identity)
    assert isinstance(foyer.tokens.identify(other.token, foyer.now), Identity)


def test_new_password_ends_other_sessions_and_a_pending_challenge() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    first, second = entered(foyer), entered(foyer)
    pending = foyer.reception.challenge("Ada", "10.0.0.1", foyer.now)
    assert not isinstance(pending, Refusal)
    foyer.keep(foyer.reception.change_password(ada, foyer.hasher.hash("another good one"), first.session, foyer.now))
    assert isinstance(foyer.tokens.identify(first.token, foyer.now), Identity)
    assert isinstance(foyer.tokens.identify(second.token, foyer.now), SessionOver)
    assert isinstance(foyer.reception.admit(pending, "t", foyer.now, opened=True), tuple)


def test_disabled_account() -> None:
    """Its sessions end; the reason is told only to who knows the password."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    token = entered(foyer).token
    foyer.keep(foyer.reception.disable(ada, "sup", "chargeback", foyer.now))
    assert isinstance(foyer.tokens.identify(token, foyer.now), SessionOver)
    right = foyer.reception.login("Ada", GOOD, "10.0.0.1", "t", foyer.now)
    wrong = foyer.reception.login("Ada", "not the one", "10.0.0.1", "t", foyer.now)
    assert isinstance(right, tuple)
    assert isinstance(wrong, tuple)
    assert right[0] == AccountClosed("chargeback")
    assert wrong[0] == WrongCredentials()
    foyer.keep(foyer.reception.enable(ada, "sup", "cleared", foyer.now))
    entered(foyer)


def test_roles_and_second_factor() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    foyer.keep(foyer.reception.give_role(ada, Role.SUPERVISOR, "house", foyer.now, "JBSWY3DP"))
    foyer.crash()
    held = foyer.accounts[ada].player
    assert (held.role, held.second_factor) == (Role.SUPERVISOR, "JBSWY3DP")
    shown = second_factor.compute_code(second_factor.decode_secret("JBSWY3DP"), foyer.now // second_factor.STEP)
    found = foyer.reception.login("Ada", GOOD, "10.0.0.1", "test", foyer.now, shown)
    assert isinstance(found, Entered)
    known = foyer.tokens.identify(found.token, foyer.now)
    assert isinstance(known, Identity)
    assert known.role is Role.SUPERVISOR


def test_sitting_outlasts_logging_out_and_in() -> None:
    """R-34, R-37: neither a new login nor a second device begins a new sitting; a break does."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    start = foyer.now
    first = entered(foyer)
    foyer.wait(20)
    entered(foyer)
    assert foyer.accounts[ada].sessions.sitting == start
    foyer.keep(foyer.tokens.close_all(ada, foyer.now, "logout"))
    foyer.now += BREAK - 1
    entered(foyer)
    assert foyer.accounts[ada].sessions.sitting == start
    foyer.keep(foyer.tokens.close_all(ada, foyer.now, "logout"))
    foyer.now += BREAK
    foyer.crash()
    entered(foyer)
    assert foyer.accounts[ada].sessions.sitting == foyer.now
    assert first.session


def test_a_session_that_ran_out_ended_when_it_did() -> None:
    """The break counts from the end of the last session, however that came about."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    start = foyer.now
    entered(foyer)
    foyer.now = start + IDLE_LIMIT + BREAK - 1
    entered(foyer)
    assert foyer.accounts[ada].sessions.sitting == start
    foyer.keep(foyer.tokens.close_all(ada, foyer.now, "logout"))
    left = foyer.now
    foyer.now = left + BREAK - 1
    entered(foyer)
    foyer.now += IDLE_LIMIT + BREAK
    entered(foyer)
    assert foyer.accounts[ada].sessions.sitting == foyer.now
    one = Session("s", "t", "a", "b", start, start + TOTAL_LIMIT - MINUTE)
    assert one.end == start + TOTAL_LIMIT
    assert one._replace(seen=start).end == start + IDLE_LIMIT


def test_r37_a_reality_check_is_written_with_minutes_and_result() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    entered(foyer)
    batch = foyer.tokens.acknowledge(ada, -500, foyer.now + 45 * MINUTE + 59_999)
    (record,) = batch.records
    assert (record.kind, msgspec.json.decode(record.body)) == ("RealityAcknowledged", {"minutes": 45, "net": -500})


def test_r37_session_clock_in_minutes() -> None:
    held = Sessions(sitting=NOON, acknowledged=NOON + 30 * MINUTE)
    assert make_clock(held, -500, 60, NOON + 45 * MINUTE + 59_999) == (NOON, 45, -500, NOON + 90 * MINUTE)


def changes() -> Iterator[tuple[dict[str, dict[str, object]], str]]:
    yield {"audio": {"voice_volume": 101}}, "voice_volume"
    yield {"audio": {"voice_volume": True}}, "voice_volume"
    yield {"audio": {"voice_volume": 10.5}}, "voice_volume"
    yield {"audio": {"bass": 1}}, "bass"
    yield {"lights": {}}, "lights"
    yield {"general": {"language": "fr"}}, "language"
    yield {"general": {"currency": "euro"}}, "currency"
    yield {"video": {"quality": None}}, "quality"
    yield {"audio": {"voice": False}, "game": {"chip": 0}}, "chip"


@pytest.mark.parametrize(("change", "named"), list(changes()))
def test_v71_bad_settings_change_nothing(change: dict[str, dict[str, object]], named: str) -> None:
    no = settings.change(Settings(), change)
    assert isinstance(no, SettingUnfit)
    assert named in describe_refusal(no)


def test_v71_settings_are_applied_together_and_come_back() -> None:
    """Five tabs: general, video, audio, bet behind, game."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    wanted: dict[str, dict[str, object]] = {
        "general": {"language": "en", "focus": True, "show_chat": False},
        "video": {"quality": "high"},
        "audio": {"voice": False, "sounds_volume": 0},
        "bet_behind": {"follow_double": True, "allow_others": False},
        "game": {"show_cash_out": False, "trainer": True},
    }
    foyer.keep(foyer.accounts.change_settings(ada, wanted, foyer.now))
    bad = foyer.accounts.change_settings(ada, {"audio": {"voice": True}, "video": {"quality": "8K"}}, foyer.now)
    assert isinstance(bad, SettingUnfit)
    foyer.crash()
    held = foyer.accounts[ada].settings
    assert (held.general.language, held.video.quality, held.audio.voice) == ("en", "high", False)
    assert (held.bet_behind.follow_double, held.game.trainer, held.audio.voice_volume) == (True, True, 80)
    assert settings.change(held, wanted) == []


def test_accounts_are_the_fold_of_their_streams() -> None:
    """After a crash every account is what it was, the live activity of sessions apart."""
    foyer = HouseInMemory()
    for name in ("Ada", "Bea", "Cleo"):
        foyer.joined(name, 10_000)
        entered(foyer, name)
    before = [foyer.accounts[player] for player in foyer.accounts]
    foyer.crash()
    assert [foyer.accounts[player] for player in foyer.accounts] == before
    assert foyer.joined("Dora") == "4"
