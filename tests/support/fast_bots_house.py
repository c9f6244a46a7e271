"""`ventuno serve` with bots that hardly think, for tests that wait for what they do and not for how it looks."""

from __future__ import annotations

import sys

from ventuno.cli.main import main
from ventuno.web import bots

if __name__ == "__main__":
    bots.THINKING_SECONDS.update(dict.fromkeys(bots.THINKING_SECONDS, (0.01, 0.1)))
    sys.exit(main(["serve", *sys.argv[1:]]))
