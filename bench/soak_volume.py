"""The tests with all of their examples, random rounds and kills, of which the daily run takes a part.

    python3 dev.py soak volume [--times N] [PYTEST ARGS...]

Exits as pytest does. The browser is left out: nothing in it is counted by number.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1, help="how many times the full numbers")
    chosen, others = parser.parse_known_args()
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "--timeout", "3600"]
    environment = {**os.environ, "VENTUNO_VOLUME": str(chosen.times)}
    return subprocess.run(
        [*command, "--ignore=tests/browser", *others], cwd=ROOT, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
