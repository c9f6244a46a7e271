"""What a process of a house with doors begins with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HOUSE = """
import gc, json, socket, sys, time
from ventuno.web.doors.supervisor import Place, Supervisor

def run_host(place: Place) -> int:
    tracked = len(gc.get_objects())
    print(json.dumps([tracked, gc.get_freeze_count(), gc.isenabled()]), flush=True)
    return 0

def run_door(place: Place) -> int:
    time.sleep(60)
    return 0

port = socket.socket()
port.bind(("127.0.0.1", 0))
sys.exit(Supervisor(port, run_host, run_door, 1).run())
"""


def test_the_program_is_not_looked_through_by_every_process(tmp_path: Path) -> None:
    """A collection that walks over all that was read before the fork holds a door up for a tenth of a second, and takes
    a copy of the memory that all share.
    """
    file = tmp_path / "house.py"
    file.write_text(HOUSE)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True, timeout=120)
    tracked, frozen, is_enabled = json.loads(done.stdout)
    assert frozen > 5_000
    assert tracked < frozen / 10
    assert is_enabled
