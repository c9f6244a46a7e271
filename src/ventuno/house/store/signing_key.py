"""The house's Ed25519 key: made once, kept in a file that only the house reads, never shown."""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ventuno.house.store.secrets import Secret

KEY, SIGNATURE = 32, 64


class KeyUnfit(Exception):
    """The key file cannot be used: it must be an Ed25519 key in PEM that nobody else may read (mode 600)."""


class SigningKey(Secret):
    """Signs; of itself it shows the public half alone."""

    __slots__ = ("_key", "public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key, self.public = key, key.public_key().public_bytes_raw()

    @classmethod
    def generate(cls) -> SigningKey:
        return cls(Ed25519PrivateKey.generate())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)

    def derive(self, purpose: bytes) -> bytes:
        """A secret for one purpose (HKDF, RFC 5869): the same wherever this key lies, and it tells nothing of it."""
        return HKDF(SHA256(), KEY, salt=None, info=purpose).derive(self._key.private_bytes_raw())

    def to_pem(self) -> bytes:
        """The private key as PEM, for its file."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def load(path: Path) -> SigningKey:
    """The key of a file; refuses one that others may read."""
    try:
        mode, raw = path.stat().st_mode, path.read_bytes()
    except OSError as fault:
        raise KeyUnfit(f"{path}: cannot be read: {fault.strerror}") from None
    if os.name == "posix" and mode & 0o077:
        raise KeyUnfit(f"{path}: others may read it; type: chmod 600 {path}")
    try:
        key = load_pem_private_key(raw, None)
    except (ValueError, TypeError):
        raise KeyUnfit(f"{path}: no unencrypted private key in PEM") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnfit(f"{path}: no Ed25519 key")
    return SigningKey(key)


def load_or_create(path: Path) -> SigningKey:
    """The house's key; the first start makes it, durably and for its owner alone."""
    if path.exists():
        return load(path)
    key = SigningKey.generate()
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return load(path)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key.to_pem())
        file.flush()
        os.fsync(file.fileno())
    return key


def is_valid(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
