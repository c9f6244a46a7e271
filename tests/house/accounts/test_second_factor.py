"""The second factor: published vectors, enrolment, codes that open once, recovery, throttle, where the secret lies."""

from __future__ import annotations

import pytest

from tests.support.house_in_memory import HouseInMemory
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import second_factor
from ventuno.house.accounts.login_throttle import TryLater
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.second_factor import (
    RECOVERY,
    Enrolled,
    NothingOffered,
    Offer,
    SecondFactorKept,
    SecondFactorNeeded,
    WrongCode,
)
from ventuno.house.accounts.sessions import Entered, Identity
from ventuno.house.history import export
from ventuno.house.store import audit_log

PASSWORD = "correct horse battery"
HERE = "::1"
RFC_6238 = {
    "sha1": ("94287082", "07081804", "14050471", "89005924", "69279037", "65353130"),
    "sha256": ("46119246", "68084774", "67062674", "91819424", "90698825", "77737706"),
    "sha512": ("90693936", "25091201", "99943326", "93441116", "38618901", "47863826"),
}
TIMES = (59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000)
SIZES = {"sha1": 20, "sha256": 32, "sha512": 64}
RFC_4226 = ("755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489")


@pytest.mark.parametrize("algorithm", RFC_6238)
def test_codes_are_those_of_rfc_6238(algorithm: str) -> None:
    secret = (b"1234567890" * 7)[: SIZES[algorithm]]
    made = [second_factor.compute_code(secret, seconds * 1000 // second_factor.STEP, 8, algorithm) for seconds in TIMES]
    assert tuple(made) == RFC_6238[algorithm]


def test_codes_are_those_of_rfc_4226() -> None:
    assert tuple(second_factor.compute_code(b"12345678901234567890", count) for count in range(10)) == RFC_4226


def test_one_bit_of_the_secret_or_one_step_gives_another_code() -> None:
    """The vectors can fail: a changed input is another code."""
    right = second_factor.compute_code(b"12345678901234567890", 1, 8)
    assert right != second_factor.compute_code(b"12345678901234567891", 1, 8)
    assert right != second_factor.compute_code(b"12345678901234567890", 2, 8)


def test_the_window_is_one_step_either_side_and_no_step_opens_twice() -> None:
    secret, now = b"12345678901234567890", 40_000_000 * second_factor.STEP + 5
    step = now // second_factor.STEP
    taken = [
        second_factor.find_step(secret, second_factor.compute_code(secret, step + away), now, -1)
        for away in range(-3, 4)
    ]
    assert taken == [None, None, step - 1, step, step + 1, None, None]
    assert second_factor.find_step(secret, second_factor.compute_code(secret, step), now, step) is None
    assert second_factor.find_step(secret, second_factor.compute_code(secret, step + 1), now, step) == step + 1
    assert second_factor.find_step(secret, second_factor.compute_code(secret, step - 1), now, step) is None


def test_a_secret_is_read_as_it_was_written() -> None:
    for size in (10, 16, 20, 32):
        assert second_factor.decode_secret(second_factor.encode_secret(bytes(range(size)))) == bytes(range(size))


def enrolled(foyer: HouseInMemory, player: PlayerId) -> tuple[bytes, tuple[str, ...]]:
    """The secret and the recovery codes of a player who has enrolled, a minute ago."""
    offer = foyer.enrolment.offer(player, "", HERE, foyer.now)
    assert isinstance(offer, Offer), offer
    foyer.keep(offer.batch)
    secret = second_factor.decode_secret(offer.secret)
    done = foyer.enrolment.confirm(player, now_code(foyer, secret), HERE, foyer.now)
    assert isinstance(done, Enrolled), done
    foyer.keep(done.batch)
    foyer.wait(1)
    return secret, done.recovery


def now_code(foyer: HouseInMemory, secret: bytes, away: int = 0) -> str:
    return second_factor.compute_code(secret, foyer.now // second_factor.STEP + away)


def login(foyer: HouseInMemory, code: str = "", password: str = PASSWORD) -> Entered | Refusal:
    outcome = foyer.reception.login("Ada", password, HERE, "browser", foyer.now, code)
    foyer.keep(outcome.batch if isinstance(outcome, Entered) else outcome[1])
    return outcome if isinstance(outcome, Entered) else outcome[0]


def test_asvs_6_3_login_asks_for_the_code_once_it_is_enrolled() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    assert isinstance(login(foyer), Entered)
    secret, _ = enrolled(foyer, ada)
    assert login(foyer) == SecondFactorNeeded()
    assert isinstance(login(foyer, now_code(foyer, secret), "wrong"), Refusal)
    wrong = f"{(int(now_code(foyer, secret)) + 1) % 10**6:06d}"
    assert login(foyer, wrong) == WrongCode()
    assert isinstance(login(foyer, f" {now_code(foyer, secret)[:3]} {now_code(foyer, secret)[3:]} "), Entered)


def test_asvs_6_3_a_code_opens_once_also_after_a_restart() -> None:
    foyer = HouseInMemory()
    secret, _ = enrolled(foyer, foyer.joined("Ada"))
    code = now_code(foyer, secret)
    assert isinstance(login(foyer, code), Entered)
    assert login(foyer, code) == WrongCode()
    assert login(foyer, now_code(foyer, secret, -1)) == WrongCode()
    foyer.crash()
    assert login(foyer, code) == WrongCode()
    assert isinstance(login(foyer, now_code(foyer, secret, 1)), Entered)


def test_the_secret_counts_only_when_a_code_of_it_has_come_back() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    offer = foyer.enrolment.offer(ada, "", HERE, foyer.now)
    assert isinstance(offer, Offer)
    foyer.keep(offer.batch)
    assert f"secret={offer.secret}" in offer.address
    assert isinstance(login(foyer), Entered), "an offer binds nobody"
    assert foyer.enrolment.confirm(ada, "000000", HERE, foyer.now) == WrongCode()
    assert foyer.enrolment.confirm(foyer.joined("Bea"), "000000", HERE, foyer.now) == NothingOffered()
    foyer.crash()
    done = foyer.enrolment.confirm(ada, now_code(foyer, second_factor.decode_secret(offer.secret)), HERE, foyer.now)
    assert isinstance(done, Enrolled)
    foyer.keep(done.batch)
    assert (
        foyer.enrolment.confirm(ada, now_code(foyer, second_factor.decode_secret(offer.secret)), HERE, foyer.now)
        == NothingOffered()
    )


def test_ten_recovery_codes_open_once_each_and_are_kept_as_hashes() -> None:
    foyer = HouseInMemory()
    _, recovery = enrolled(foyer, foyer.joined("Ada"))
    assert len(set(recovery)) == RECOVERY == 10
    assert isinstance(login(foyer, recovery[3].lower().replace("-", " ")), Entered)
    assert login(foyer, recovery[3]) == WrongCode()
    foyer.crash()
    assert login(foyer, recovery[3]) == WrongCode()
    assert isinstance(login(foyer, recovery[4]), Entered)
    written = b"".join(one.body for records in foyer.disk.streams.values() for one in records).decode()
    assert not any(code in written or code.replace("-", "") in written for code in recovery)


def test_another_secret_needs_a_code_of_the_old_one() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    secret, recovery = enrolled(foyer, ada)
    assert foyer.enrolment.offer(ada, "", HERE, foyer.now) == SecondFactorNeeded()
    assert foyer.enrolment.offer(ada, "123", HERE, foyer.now) == WrongCode()
    offer = foyer.enrolment.offer(ada, now_code(foyer, secret), HERE, foyer.now)
    assert isinstance(offer, Offer)
    foyer.keep(offer.batch)
    done = foyer.enrolment.confirm(ada, now_code(foyer, second_factor.decode_secret(offer.secret)), HERE, foyer.now)
    assert isinstance(done, Enrolled), "the new secret has steps of its own"
    foyer.keep(done.batch)
    foyer.wait(1)
    assert login(foyer, now_code(foyer, secret)) == WrongCode()
    assert login(foyer, recovery[0]) == WrongCode()
    assert isinstance(login(foyer, now_code(foyer, second_factor.decode_secret(offer.secret))), Entered)


def test_a_player_may_drop_it_and_a_supervisor_may_not() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    assert foyer.enrolment.drop(ada, "", HERE, foyer.now) == NothingOffered()
    secret, recovery = enrolled(foyer, ada)
    assert foyer.enrolment.drop(ada, "1", HERE, foyer.now) == WrongCode()
    foyer.keep(foyer.reception.give_role(ada, Role.SUPERVISOR, "house", foyer.now))
    assert foyer.enrolment.drop(ada, now_code(foyer, secret), HERE, foyer.now) == SecondFactorKept()
    foyer.keep(foyer.reception.give_role(ada, Role.PLAYER, "house", foyer.now))
    foyer.keep(foyer.enrolment.drop(ada, now_code(foyer, secret), HERE, foyer.now))
    assert isinstance(login(foyer), Entered)
    secret, _ = enrolled(foyer, ada)
    assert login(foyer, recovery[0]) == WrongCode(), "codes of the dropped one are gone with it"


def test_asvs_6_3_codes_are_slowed_down_with_passwords_and_a_password_buys_no_guesses() -> None:
    """10 000 guesses with the right password: nearly all are turned away, none clears the count."""
    foyer = HouseInMemory()
    secret, _ = enrolled(foyer, foyer.joined("Ada"))
    right = {now_code(foyer, secret, away) for away in (-1, 0, 1, 2, 3)}
    tried = 0
    for number in range(10_000):
        code = f"{number:06d}"
        if code in right:
            continue
        assert isinstance(login(foyer), SecondFactorNeeded | TryLater), "asking for the code clears nothing"
        tried += login(foyer, code) == WrongCode()
    assert tried <= 6
    assert isinstance(login(foyer, now_code(foyer, secret)), TryLater)
    foyer.wait(16)
    assert isinstance(login(foyer, now_code(foyer, secret)), Entered)


def test_wrong_codes_at_the_confirmation_count_too() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    offer = foyer.enrolment.offer(ada, "", HERE, foyer.now)
    assert isinstance(offer, Offer)
    said = [foyer.enrolment.confirm(ada, "000000", HERE, foyer.now) for _ in range(10)]
    assert sum(isinstance(one, TryLater) for one in said) >= 4
    assert isinstance(login(foyer), TryLater)


def test_asvs_6_3_a_supervisor_without_a_second_factor_can_only_enrol() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 10_000)
    foyer.keep(foyer.reception.give_role(ada, Role.SUPERVISOR, "house", foyer.now))
    entered = login(foyer)
    assert isinstance(entered, Entered)
    known = foyer.tokens.identify(entered.token, foyer.now)
    assert isinstance(known, Identity)
    assert (known.role, known.enrol) == (Role.PLAYER, True)
    enrolled(foyer, ada)
    known = foyer.tokens.identify(entered.token, foyer.now)
    assert isinstance(known, Identity)
    assert (known.role, known.enrol) == (Role.SUPERVISOR, False)


def test_asvs_6_3_nothing_of_it_leaves_the_private_stream() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    secret, _ = enrolled(foyer, ada)
    login(foyer, "123456")
    public = b"".join(export.encode_export(foyer.disk, foyer.now)).decode()
    assert second_factor.encode_secret(secret) not in public
    assert '"step"' not in public
    streams = {
        name
        for name, records in foyer.disk.streams.items()
        if any(second_factor.encode_secret(secret).encode() in one.body for one in records)
    }
    assert streams == {f"private:{ada}"}
    noted = [entry.event for entry in audit_log.read_entries(foyer.disk.streams[audit_log.STREAM])]
    assert audit_log.RightsChanged(ada, ada, "second factor set") in noted
    assert [one.reason for one in noted if isinstance(one, audit_log.LoginFailed)] == ["code"]
