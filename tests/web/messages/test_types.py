"""The client's types are made from the house's own document, and are never older than it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE
from ventuno.web.app import schema_only
from ventuno.web.messages import schema

CLIENT = Path(__file__).resolve().parents[3] / "client"
KEPT = CLIENT / "src" / "wire" / "schema.ts"


def generated(document: dict[str, Any], folder: Path) -> str:
    """The types of a document, by the script that `npm run types` calls."""
    source, target = folder / "openapi.json", folder / "schema.ts"
    source.write_text(json.dumps(document))
    node = shutil.which("node")
    assert node, "the client needs Node"
    subprocess.run([node, "scripts/types.mjs", str(source), str(target)], cwd=CLIENT, check=True, timeout=PATIENCE)
    return target.read_text()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return schema.build_document(schema_only())


def test_the_types_of_the_client_are_not_stale(document: dict[str, Any], tmp_path: Path) -> None:
    assert generated(document, tmp_path) == KEPT.read_text(), "type: npm run types (see client/scripts/types.mjs)"


def test_a_changed_vocabulary_makes_them_stale(document: dict[str, Any], tmp_path: Path) -> None:
    changed = json.loads(json.dumps(document))
    changed["components"]["schemas"]["PublicView"]["properties"]["planted"] = {"type": "integer"}
    assert generated(changed, tmp_path) != KEPT.read_text()
