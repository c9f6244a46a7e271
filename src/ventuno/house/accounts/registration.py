"""Registration: what opens an account, and what one account holds and no other may (R-42).

A form has a name, a date of birth and the Italian tax code (codice fiscale). Name and person are claims, rows that the
store keeps once: two registrations of one name never both succeed, whoever races whom. Names are claimed as they look,
so that neither case nor width nor the letters of another script make a second one; of a tax code only the hash is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.player_limits import ITALY, Profile
from ventuno.house.accounts.players import PersonKnown
from ventuno.house.accounts.text_rules import NameTaken, check_name, make_look, normalize
from ventuno.house.store.records import NameRow

LOGIN, TAX = KINDS = "login", "tax"
_TAX_DIGIT = "[0-9LMNP-V]"
_TAX_CODE = re.compile(rf"[A-Z]{{6}}{_TAX_DIGIT}{{2}}[A-EHLMPRST]{_TAX_DIGIT}{{2}}[A-Z]{_TAX_DIGIT}{{3}}[A-Z]")
_ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
"""What a letter counts at an odd place; a digit counts as the letter of the same number."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What a jurisdiction asks of who opens an account; the waits of limits are its profile's."""

    profile: Profile = ITALY
    least_age: int = 18
    tax_id: bool = True
    guests: bool = True


ITALIAN = HouseRules()
PLAY_MONEY = HouseRules(tax_id=False)


class UnderAge(Refusal):
    least: int


class PersonUnfit(Refusal):
    reason: str


class TaxIdUnfit(Refusal):
    reason: str


class TaxIdTaken(Refusal):
    """One account per person (R-42); an excluded person opens no other (R-38)."""


@dataclass(frozen=True, slots=True)
class Form:
    """What somebody fills in to open an account; the password comes apart, already hashed."""

    name: str
    born: str = ""
    tax: str = ""


def check_form(form: Form, at: int, rules: HouseRules) -> tuple[str, PersonKnown] | Refusal:
    """The name and person of a form, or the first thing wrong with it (R-42)."""
    name = check_name(form.name)
    if isinstance(name, Refusal):
        return name
    if form.born or rules.tax_id:
        try:
            born = date.fromisoformat(form.born)
        except ValueError:
            return PersonUnfit("birth-date")
        if compute_age(born, at) < rules.least_age:
            return UnderAge(rules.least_age)
        if compute_age(born, at) > 130:
            return PersonUnfit("too-old")
    tax = check_tax_code(form.tax) if form.tax or rules.tax_id else ""
    return tax if isinstance(tax, Refusal) else (name, PersonKnown(form.born, tax))


def compute_age(born: date, at: int) -> int:
    """Full years on the day of `at`, in UTC."""
    today = datetime.fromtimestamp(at // 1000, UTC).date()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def check_tax_code(raw: str) -> str | TaxIdUnfit:
    """The code in capitals, or why it is none.

    >>> check_tax_code("rssmra85t10a562s")
    'RSSMRA85T10A562S'
    """
    code = "".join(raw.split()).upper()
    if not _TAX_CODE.fullmatch(code):
        return TaxIdUnfit("tax-form")
    return code if code[15] == compute_check_letter(code[:15]) else TaxIdUnfit("tax-check-letter")


def compute_check_letter(code: str) -> str:
    total = 0
    for place, sign in enumerate(code):
        value = int(sign) if sign.isdigit() else ord(sign) - ord("A")
        total += value if place % 2 else _ODD_VALUES[value]
    return chr(ord("A") + total % 26)


def make_claims(player: PlayerId, name: str, tax: str) -> tuple[NameRow, ...]:
    """What an account of this name and person claims."""
    login = NameRow(LOGIN, make_look(normalize(name)), player)
    return (login, NameRow(TAX, sha256(tax.encode()).hexdigest(), player)) if tax else (login,)


def refuse_claim(taken: NameRow, name: str) -> Refusal:
    """What is said to who claims what somebody has."""
    return NameTaken(normalize(name)) if taken.kind == LOGIN else TaxIdTaken()


def find_missing_claims(accounts: Accounts, stored: Iterable[NameRow]) -> tuple[NameRow, ...]:
    """The claims of accounts that were opened before claims were kept; where two look alike, of the older one.

    Guests claim nothing: their names are the house's.
    """
    owners = {(row.kind, row.name): row.owner for row in stored}
    missing = []
    for number in sorted(accounts, key=lambda player_number: accounts[player_number].player.since):
        player = accounts[number].player
        for row in () if player.guest or not player.name else make_claims(number, player.name, player.tax):
            if owners.setdefault((row.kind, row.name), number) == number:
                missing.append(row)
    stored_rows = set(stored)
    return tuple(row for row in missing if row not in stored_rows)
