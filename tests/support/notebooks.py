"""The notebooks, executed: by the tests, and to store their outputs anew.

    python -m tests.support.notebooks [FILE...]

What is stored are the results alone: no times, no warnings, no ids that change from run to run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.support.patience import PATIENCE
from tests.support.project_files import ROOT

NOTEBOOK: Any = nbformat
"""Its functions carry no types."""
FOLDER = ROOT / "notebooks"
NOTEBOOKS = tuple(sorted(FOLDER.glob("*.ipynb")))


def read(file: Path) -> Any:
    return NOTEBOOK.read(file, as_version=4)


def execute(notebook: Any) -> None:
    """Run all cells in a kernel of their own, in the folder of the notebooks; the first fault raises."""
    NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(FOLDER)}}).execute()
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id, cell.metadata = f"cell-{number}", {}
        if cell.cell_type == "code":
            cell.outputs = join_streams(cell.outputs)
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def join_streams(outputs: list[Any]) -> list[Any]:
    """What a cell printed is one text, in however many pieces it came; warnings are left out."""
    joined: list[Any] = []
    for output in outputs:
        if output.get("name") == "stderr":
            continue
        if output.output_type == "stream" and joined and joined[-1].output_type == "stream":
            joined[-1].text += output.text
            continue
        joined.append(output)
    return joined


def list_results(notebook: Any) -> list[str]:
    """What the cells print or show as text; of a picture only that there is one."""
    results = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                results.append(output.text)
            else:
                texts = [output.data.get(kind, "") for kind in ("text/plain", "text/html")]
                results += ["picture"] if "image/png" in output.data else ["".join(text) for text in texts]
    return results


def main(names: list[str]) -> None:
    for file in map(Path, names) if names else NOTEBOOKS:
        notebook = read(file)
        execute(notebook)
        NOTEBOOK.write(notebook, file)
        print(f"{file.name}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
