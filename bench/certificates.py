"""CPU time of the certificates of all five games: at most 6 s warm, at most 12 s with an empty kernel cache."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

from ventuno.odds.certificate.certificate import certify
from ventuno.sheets import GAMES, load

WARM, COLD = 6.0, 12.0


def in_process() -> float:
    """Each game once to warm the kernels up, then measured."""
    whole = 0.0
    for game in GAMES:
        sheet = load(game)
        certify(sheet)
        start = time.process_time()
        certify(sheet)
        spent = time.process_time() - start
        whole += spent
        print(f"  {game:<14}{spent:8.3f} s")
    return whole


def as_command(cache: str) -> tuple[float, float]:
    """CPU and wall seconds of `ventuno certify --json` as a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "ventuno.cli.main", "certify", "--json"],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.perf_counter() - start


def main() -> int:
    print("certificates, CPU time on one core")
    with tempfile.TemporaryDirectory() as cache:
        cold, cold_wall = as_command(cache)
        warm, warm_wall = as_command(cache)
    print(f"  cold start    {cold:8.3f} s  (wall {cold_wall:.3f} s; goal {COLD:g} s)")
    print(f"  warm command  {warm:8.3f} s  (wall {warm_wall:.3f} s; goal {WARM:g} s)")
    whole = in_process()
    print(f"  all five      {whole:8.3f} s  (goal {WARM:g} s)")
    print(f"  peak memory   {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB")
    return 0 if cold <= COLD and warm <= WARM and whole <= WARM else 1


if __name__ == "__main__":
    sys.exit(main())
