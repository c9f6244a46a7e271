"""A beacon of our own: a chain with a test key, and a small server that tells its rounds as drand does.

Beside it rounds of quicknet as they were published: facts to check any verifier by. The key of the chain is a toy.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from ventuno.house.shoes.beacon import DOMAIN, SCHEME, BeaconChain, hash_chain, read_chain

PUBLISHED = {
    1000: bytes.fromhex(
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
    ),
    657413: bytes.fromhex(
        "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b"
    ),
    12040883: bytes.fromhex(
        "929906c959032ab363c9f26570d215d66f5c06cb0c44fe508c12bb5839f04ec895bb6868e5b9ff13ab289bdb5266b394"
    ),
    32285086: bytes.fromhex(
        "a64d99fd7fa3e48912be7209c7b69c72c88fc5224be2516949b6f29f3a4b7e3fa069dd58b2bbb4bf2c34ae61ef631a44"
    ),
}
"""Rounds of quicknet and their signatures."""
_SECRET = Scalar.from_be_bytes_mod_order(sha256(b"ventuno test beacon").digest())
_GROUP, _GENESIS, _PERIOD, _NAME = sha256(b"ventuno test group").digest(), 1_700_000_000, 3, "ventuno-test"
_KEY = (G2Point() * _SECRET).to_compressed_bytes()
TOLD_CHAIN: dict[str, Any] = {
    "public_key": _KEY.hex(),
    "period": _PERIOD,
    "genesis_time": _GENESIS,
    "hash": hash_chain(_KEY, _GENESIS, _PERIOD, _GROUP, _NAME).hex(),
    "groupHash": _GROUP.hex(),
    "schemeID": SCHEME,
    "metadata": {"beaconID": _NAME},
}
CHAIN: BeaconChain = read_chain(TOLD_CHAIN)


def sign_round(number: int) -> bytes:
    hashed = G1Point.hash_to_curve(sha256(number.to_bytes(8, "big")).digest(), DOMAIN)
    return (hashed * _SECRET).to_compressed_bytes()


class BeaconServer(ThreadingHTTPServer):
    """Answers `/CHAIN/public/ROUND`. `refusals` are answered first, so many times, with a status that is no success;
    while `silent` is clear nothing is answered at all; `shift` tells the signature of another round.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.refusals, self.shift, self.asked = 0, 0, list[str]()
        self.speaks = threading.Event()
        self.speaks.set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: BeaconServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.speaks.wait(30)
        chain, _, number = self.path.strip("/").partition("/public/")
        if self.server.refusals > 0 or chain != TOLD_CHAIN["hash"]:
            self.server.refusals -= 1
            self.send_error(404)
            return
        signature = sign_round(int(number) + self.server.shift)
        told = {"round": int(number), "randomness": sha256(signature).hexdigest(), "signature": signature.hex()}
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is told of calls."""


@contextmanager
def open_beacon() -> Iterator[BeaconServer]:
    server = BeaconServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.speaks.set()
        server.shutdown()
        server.server_close()
        thread.join()
