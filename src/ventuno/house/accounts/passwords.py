"""Passwords: long enough, not a common one, kept as argon2id (ASVS 6.2, ASVS 11.4).

No rules of composition. A common password is refused with all its usual trimmings: `Juventus1897!` is `juventus`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Protocol

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import Type

from ventuno.core.messages.refusals import Refusal

LEAST, MOST = 8, 256

_WORDS = """
password passwort passord parola parolachiave segreto segreta secret letmein welcome benvenuto benvenuti login admin
administrator root master guest ospite utente user test testtest prova provaprova changeme default access accesso
qwerty qwertyuiop qwertz azerty asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc qweasd qweasdzxc poiuytrewq mnbvcxz
iloveyou tiamo tiamoamore amore amoremio amoretesoro tesoro stella stellina cucciolo cucciola bacio baci principessa
princess prince angelo angela angel sunshine sole luna cielo mare monkey dragon shadow ninja samurai batman superman
spiderman pokemon pikachu starwars hello helloworld ciao ciaociao ciaomondo buongiorno arrivederci freedom liberta
trustno whatever football calcio basket baseball soccer hockey ferrari lamborghini ducati vespa fiat alfaromeo
juventus juve forzajuve milan forzamilan inter forzainter napoli forzanapoli roma forzaroma lazio forzalazio torino
fiorentina bologna genova palermo cagliari verona venezia firenze milano sicilia sardegna italia forzaitalia europa
andrea alessandro alessandra francesco francesca giuseppe giovanni giovanna antonio antonella marco matteo lorenzo luca
leonardo gabriele riccardo davide federico federica simone stefano stefania roberto roberta paolo paola michele michela
martina chiara giulia sara valentina silvia elisa elena laura maria claudia claudio daniele daniela salvatore vincenzo
nicola michael jordan jennifer jessica ashley charlie thomas robert daniel joshua matthew andrew nicole hannah summer
computer internet google facebook instagram whatsapp youtube windows microsoft apple samsung android iphone
casino blackjack ventuno poker roulette jackpot fortuna vincere vincente soldi money gambler dealer croupier banco
cane gatto cavallo farfalla delfino cioccolato chocolate nutella pizza pasta spaghetti cappuccino birra vino cookie
madonna gesu gesucristo padrepio buddha diavolo satana paradiso inferno natale pasqua estate primavera autunno inverno
abc abcd abcde abcdef abcdefgh abcdefghi aaaaaaaa maestro professore dottore avvocato ingegnere presidente capitano
"""
COMMON = frozenset(_WORDS.split())
_LEET = str.maketrans("@4310$5!7", "aaeiossit")
_TRIM = "".join(map(chr, range(33, 65))) + "[\\]^_`{|}~"
_WALKS = ("01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz", "1qaz2wsx3edc4rfv5tgb")
_DIGITS = re.compile(r"\d+")


class PasswordTooShort(Refusal):
    least: int
    most: int
    held: int


class PasswordCommon(Refusal):
    reason: str
    word: str = ""


class Hasher(Protocol):
    """Slow on purpose: run it beside the tables, never between two commands of a table."""

    def hash(self, password: str) -> str: ...

    def verify(self, stored: str, password: str) -> bool: ...

    @property
    def decoy(self) -> str:
        """A hash that no password opens: what is verified for a name that nobody has."""


class Argon2:
    """argon2id with 19 MiB, two passes, one lane."""

    def __init__(self, memory: int = 19 * 1024, passes: int = 2) -> None:
        self._hasher = PasswordHasher(passes, memory, 1, hash_len=32, salt_len=16, type=Type.ID)
        self._decoy = ""

    def hash(self, password: str) -> str:
        return self._hasher.hash(normalize(password))

    def verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, normalize(password))
        except (VerificationError, InvalidHashError):
            return False

    @property
    def decoy(self) -> str:
        self._decoy = self._decoy or self._hasher.hash("\x00 nobody's password \x00")
        return self._decoy


def normalize(password: str) -> str:
    """The same password from every keyboard. Nothing is cut off."""
    return unicodedata.normalize("NFC", password)


def check_password(password: str, name: str = "") -> Refusal | None:
    """Why this may not be the password of this player."""
    length = len(normalize(password))
    if not LEAST <= length <= MOST:
        return PasswordTooShort(LEAST, MOST, length)
    return _find_weakness(normalize(password).casefold(), name.casefold())


def _find_weakness(password: str, name: str) -> PasswordCommon | None:
    if _DIGITS.fullmatch(password) and len(password) <= 10:
        return PasswordCommon("few-digits")
    if len(set(password)) <= 2 or _is_repetition(password):
        return PasswordCommon("repeated-piece")
    if any(password.strip(_TRIM.replace("0", "")) in walk + walk[::-1] for walk in _WALKS) and len(password) <= 12:
        return PasswordCommon("keys-in-a-row")
    bare = password.strip(_TRIM)
    stems = {bare, bare.translate(_LEET), password.translate(_LEET).strip(_TRIM), _DIGITS.sub("", bare)}
    stems |= {stem[: len(stem) // 2] for stem in stems if stem[: len(stem) // 2] * 2 == stem}
    stems.discard("")
    if name and any(stem in name or (name in password and len(password) - len(name) <= 6) for stem in stems):
        return PasswordCommon("own-name")
    word = next((stem for stem in stems if stem in COMMON and len(password) - len(stem) <= 6), "")
    return PasswordCommon("common-word", word) if word else None


def _is_repetition(password: str) -> bool:
    """`abcabcabc`: a piece of up to four characters, repeated."""
    return any((password[:size] * len(password))[: len(password)] == password for size in (1, 2, 3, 4))
