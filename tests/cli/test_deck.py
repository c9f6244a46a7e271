"""`ventuno deck`: what is written, and what is refused in one line."""

from pathlib import Path

import pypdfium2
import pytest

from tests.support.card_pictures import read_codes, render_page
from ventuno.cli.errors import WRONG_USAGE
from ventuno.cli.main import main
from ventuno.core.rules.card_codes import write_code
from ventuno.deck.pdf import POINTS

Captured = pytest.CaptureFixture[str]


def count_pages(file: Path) -> int:
    document = pypdfium2.PdfDocument(file)
    try:
        return len(document)
    finally:
        document.close()


def test_a_deck_is_written_for_a_print_shop(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "deck.pdf"
    assert main(["deck", "--pdf", str(file), "--marks"]) == 0
    assert capsys.readouterr() == ("", f"wrote {file}\n")
    document = pypdfium2.PdfDocument(file)
    assert len(document) == 54
    trim = document[0].get_trimbox()
    assert trim[2] - trim[0] == pytest.approx(63.5 * POINTS)
    assert read_codes(render_page(document, 0, 150)) == [write_code("AS")] * 2
    document.close()


@pytest.mark.parametrize(
    ("options", "pages"),
    [
        (["--decks", "6"], 6 * 52 + 2),
        (["--sheet-of", "9"], 12),
        (["--sheet-of", "9", "--decks", "6"], 70),
        (["--size", "bridge", "--bleed", "2.5", "--language", "en"], 54),
    ],
)
def test_sizes_decks_and_sheets(tmp_path: Path, options: list[str], pages: int) -> None:
    file = tmp_path / "deck.pdf"
    assert main(["deck", "--pdf", str(file), *options]) == 0
    assert count_pages(file) == pages


def test_the_words_of_the_cut_card_are_of_the_language(tmp_path: Path) -> None:
    files = {language: tmp_path / f"{language}.pdf" for language in ("it", "en")}
    for language, file in files.items():
        assert main(["deck", "--pdf", str(file), "--language", language]) == 0
    assert files["it"].read_bytes() != files["en"].read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--decks", "0"], "a shoe has 1 to 8 decks"),
        (["--decks", "nine"], "a shoe has 1 to 8 decks"),
        (["--bleed", "-1"], "from 0 to 10 millimetres"),
        (["--bleed", "much"], "from 0 to 10 millimetres"),
        (["--bleed", "nan"], "from 0 to 10 millimetres"),
        (["--size", "tarot"], "poker"),
        (["--sheet-of", "9", "--bleed", "3"], "220.5 x 296.7 mm, and a sheet has 210 x 297: less bleed, or fewer"),
    ],
)
def test_what_cannot_be_printed_is_said_and_nothing_written(
    tmp_path: Path, capsys: Captured, options: list[str], said: str
) -> None:
    file = tmp_path / "deck.pdf"
    try:
        code = main(["deck", "--pdf", str(file), *options])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == WRONG_USAGE
    assert said in capsys.readouterr().err
    assert not file.exists()


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "nowhere" / "deck.pdf"
    assert main(["deck", "--pdf", str(file)]) == WRONG_USAGE
    assert capsys.readouterr().err == f"{file}: cannot be written: No such file or directory\n"
