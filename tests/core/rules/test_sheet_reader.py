"""The remarks beside the lines of a sheet name the criteria they follow (X-22)."""

from __future__ import annotations

from pathlib import Path

from ventuno import sheets
from ventuno.core.rules import sheet_reader

TEXT = (Path(sheets.__file__).parent / "ventuno.toml").read_text(encoding="utf-8")


def test_x22_a_remark_beside_a_section_is_of_the_section_and_one_beside_a_line_of_its_switch() -> None:
    assert "\n[clocks]" in TEXT
    head, _, rest = TEXT.partition("\n[clocks]")
    text = f"{head}\n[clocks]  # of all clocks\n{rest.partition(chr(10))[2]}"
    notes = sheet_reader.read(text).notes
    assert notes["clocks"] == "of all clocks"
    assert notes["clocks.results"] == "V-70"
    assert notes["sides.perfect-pairs.kind"] == "V-21"
    assert "c" not in notes
