"""How many planted faults the tests of the rules catch: cosmic-ray on a sample of mutants of `core/`.

Prints the score and every survivor; exits 1 below the goal. `--sample N` takes N mutants (0: all, a job for a night),
`--seed S` another sample. Mutants that change nothing are left out: `|`, which stands in annotations, `==` for `is` on
members of an enumeration, and the options of data classes.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOAL = 0.90
TESTS = (
    "tests/core/scenario tests/core/table tests/core/views tests/core/games/test_switch_settlements.py"
    " tests/core/test_mistakes.py tests/core/properties/test_sheets.py tests/core/properties/test_refusals.py"
    " tests/core/properties/test_notation.py tests/core/properties/test_views.py tests/cli/test_commands.py"
)
CONFIG = """[cosmic-ray]
module-path = "src/ventuno/core"
timeout = 900.0
excluded-modules = []
test-command = "{python} -m pytest -x -q -p no:cacheprovider -p no:xdist {tests}"

[cosmic-ray.distributor]
name = "local"
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("src", "tests", "pyproject.toml", "dev.py"):
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
        tests = " ".join(name for name in TESTS.split() if (copy / name).exists())
        (copy / "mutation.toml").write_text(CONFIG.format(python=sys.executable, tests=tests))
        run(copy, "init", "mutation.toml", "mutation.sqlite")
        total = thin_out(copy / "mutation.sqlite", given.sample, given.seed)
        print(f"{total} mutants of the core, each against {tests}", file=sys.stderr)
        run(copy, "exec", "mutation.toml", "mutation.sqlite")
        killed, survivors = results(copy / "mutation.sqlite")
    for line in survivors:
        print(f"survived  {line}")
    score = killed / total if total else 0.0
    print(f"mutation score of core/: {score:.1%} ({killed} of {total} caught), goal {GOAL:.0%}")
    return 0 if score >= GOAL else 1


def run(folder: Path, *words: str) -> None:
    """Call cosmic-ray in the copy, whose sources come before the installed ones.

    Mutants of one second and one size look alike to who keeps compiled files: none are kept.
    """
    program = Path(sys.executable).parent / "cosmic-ray"
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([program, *words], cwd=folder, check=True, env=environment)


def thin_out(session: Path, sample: int, seed: int) -> int:
    """Keep a random sample of the mutants; how many are left."""
    with sqlite3.connect(session) as base:
        order = "module_path, start_pos_row, start_pos_col, operator_name, occurrence"
        columns = "job_id, operator_name, module_path, start_pos_row"
        rows = base.execute(f"select {columns} from mutation_specs order by {order}").fetchall()
        good = [job for job, operator, path, row in rows if not is_idle(operator, session.parent / path, row)]
        kept = good if not sample else random.Random(seed).sample(good, min(sample, len(good)))
        for table in ("mutation_specs", "work_items"):
            marks = ",".join("?" * len(kept))
            base.execute(f"delete from {table} where job_id not in ({marks})", kept)
    return len(kept)


def is_idle(operator: str, module: Path, row: int) -> bool:
    """This mutant cannot change what the program does."""
    if any(word in operator for word in ("BitOr", "_Is_Eq", "_IsNot_NotEq", "_Eq_Is", "_NotEq_IsNot")):
        return True
    return module.read_text(encoding="utf-8").splitlines()[row - 1].startswith("@dataclass")


def results(session: Path) -> tuple[int, list[str]]:
    query = (
        "select r.test_outcome, s.module_path, s.start_pos_row, s.operator_name"
        " from work_results r join mutation_specs s on r.job_id = s.job_id"
    )
    with sqlite3.connect(session) as base:
        rows = base.execute(query).fetchall()
    survivors = [
        f"{path}:{row} {operator}" for outcome, path, row, operator in rows if "SURVIVED" in str(outcome).upper()
    ]
    return len(rows) - len(survivors), sorted(survivors)


if __name__ == "__main__":
    sys.exit(main())
