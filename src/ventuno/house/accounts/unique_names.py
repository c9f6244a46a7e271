"""What one account holds and no other may: its name, and the person behind it by tax code (R-42).

A claim is a row that the store keeps once: two registrations of one name never both succeed, whoever races whom. Names
are claimed as they look, so that neither case nor width nor the letters of another script make a second one; of a tax
code only the hash is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import text_rules
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.tax_code import TaxIdTaken
from ventuno.house.store.records import NameRow

LOGIN, TAX = KINDS = "login", "tax"


def make_claims(player: PlayerId, name: str, tax: str) -> tuple[NameRow, ...]:
    """What an account of this name and person claims."""
    login = NameRow(LOGIN, text_rules.make_look(text_rules.normalize(name)), player)
    return (login, NameRow(TAX, sha256(tax.encode()).hexdigest(), player)) if tax else (login,)


def refuse_claim(taken: NameRow, name: str) -> Refusal:
    """What is said to who claims what somebody has."""
    return text_rules.NameTaken(text_rules.normalize(name)) if taken.kind == LOGIN else TaxIdTaken()


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
