"""Workflows, hooks and templates of a public forge: they call commands that are there, with no right too many."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import dev

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "workflows").iterdir()}
STEPS: list[dict[str, Any]] = [
    step for workflow in WORKFLOWS.values() for job in workflow["jobs"].values() for step in job["steps"]
]


def test_every_command_of_a_workflow_is_there() -> None:
    called = [shlex.split(step["run"]) for step in STEPS if step.get("run", "").startswith("python3 dev.py")]
    assert {"test", "check", "bench"} <= {words[2] for words in called}
    assert [words for words in called if words[2] not in dev.COMMANDS] == []
    benches = {words[3] for words in called if words[2] == "bench"}
    assert [name for name in benches if not (ROOT / "bench" / f"{name}.py").exists()] == []


def test_workflows_have_no_right_too_many() -> None:
    """Reading, unless a job says otherwise; only what publishes may write, behind an environment somebody guards."""
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {"contents": "read"}, name
        for job in workflow["jobs"].values():
            if job.get("permissions", {}).get("contents") == "write":
                assert job["environment"] == "release"
    assert all(re.search(r"@(v\d|release/v\d)", step["uses"]) for step in STEPS if "uses" in step)


def test_the_tests_run_on_every_python_we_promise() -> None:
    matrix = WORKFLOWS["checks.yml"]["jobs"]["tests"]["strategy"]["matrix"]
    promised = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert matrix["python"] == promised
    assert {matrix["system"][0].split("-")[0], *(one["system"].split("-")[0] for one in matrix["include"])} == {
        "ubuntu",
        "macos",
    }


def hooks() -> dict[str, dict[str, Any]]:
    read = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    return {hook["id"]: hook for repo in read["repos"] for hook in repo["hooks"]}


def test_hooks_call_what_the_set_up_provides() -> None:
    for hook in hooks().values():
        program = hook["entry"].split()[0]
        assert program == "sh" or (ROOT / program).exists(), program


@pytest.mark.parametrize(("subject", "taken"), [("Add " + "a" * 68, True), ("Add " + "a" * 69, False)])
def test_the_hook_of_subjects_counts_to_72(tmp_path: Path, subject: str, taken: bool) -> None:
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\n{'long' * 40}\n")
    ended = subprocess.run([*shlex.split(hooks()["subject"]["entry"]), str(message)], check=False)
    assert (ended.returncode == 0) is taken


def test_templates_are_forms() -> None:
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.stem != "config":
            assert {"name", "description", "body"} <= set(form), path
            assert len({part["id"] for part in form["body"]}) == len(form["body"])
