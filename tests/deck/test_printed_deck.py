"""The printed deck: every code is read back from the rendered pages by an independent reader, and a wrong one found."""

import random
import re
import zlib
from collections.abc import Iterator
from functools import cache

import pypdfium2
import pytest
from PIL import Image, ImageChops

from tests.support import outlines
from tests.support.card_pictures import INCH, film, find_misprints, read_codes, render_page
from ventuno.core.rules import card_codes
from ventuno.core.rules.card_codes import CUT, write_code
from ventuno.deck.cards import MODULES, QUIET
from ventuno.deck.layout import BACK, ORDER, DoesNotFit, Print, draw_deck, lay_out
from ventuno.deck.pdf import POINTS, write_pdf
from ventuno.deck.shapes import Matrix, NotAPath, read_path, stretch, translate, turn
from ventuno.deck.sizes import SIZES, Size
from ventuno.deck.svg import NotOurArt, read_transform

NAMES = (*ORDER, CUT, BACK)
PRINTED = 300.0
WORDS = "Carta di taglio"


def print_deck(order: Print) -> bytes:
    return write_pdf("Ventuno", draw_deck(order), lay_out(order))


@cache
def open_deck(size: str) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(print_deck(Print(SIZES[size], words=WORDS)))


@pytest.fixture(scope="module", autouse=True)
def close_decks() -> Iterator[None]:
    yield
    for size in SIZES:
        open_deck(size).close()


def expect(names: tuple[str, ...] = NAMES) -> list[list[str]]:
    return [[] if name == BACK else [write_code(name)] * 2 for name in names]


def cut_out(page: Image.Image, bleed: float, dots: float = PRINTED) -> Image.Image:
    """The card without what is beyond the cut."""
    edge = round(bleed / INCH * dots)
    return page.crop((edge, edge, page.width - edge, page.height - edge))


@pytest.mark.parametrize("dots", [PRINTED, 120.0])
@pytest.mark.parametrize("size", SIZES)
def test_every_printed_code_is_read_back_at_both_ends(size: str, dots: float) -> None:
    assert find_misprints(open_deck(size), expect(), dots) == {}


def test_a_card_with_the_code_of_another_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_codes, "write_code", lambda name: write_code("QH" if name == "KH" else name))
    document = pypdfium2.PdfDocument(print_deck(Print(SIZES["poker"], words=WORDS)))
    monkeypatch.undo()
    assert find_misprints(document, expect(), 120.0) == {NAMES.index("KH"): [write_code("QH")] * 2}


@pytest.mark.parametrize("size", SIZES)
def test_a_camera_reads_cards_that_lie_anyhow(size: str) -> None:
    """Three and a half cards wide at 1280 x 720: rotated, seen from a side, soft, dark and noisy."""
    chance, missed = random.Random(20), []
    for page in range(0, 53, 6):
        card = cut_out(render_page(open_deck(size), page, PRINTED), 3)
        if set(read_codes(film(card, 3.5, chance))) != {write_code(NAMES[page])}:
            missed.append(NAMES[page])
    assert missed == []


def test_a_camera_too_far_away_reads_nothing() -> None:
    """The pictures are as hard as they say: ten cards wide, no code is left to read."""
    card = cut_out(render_page(open_deck("poker"), 0, PRINTED), 3)
    assert read_codes(film(card, 10, random.Random(20))) == []


def locate_code(size: Size) -> tuple[float, float, float]:
    """Left, top and side of the upper code, in millimetres from the cut."""
    side = MODULES * size.module
    return size.width - size.code_margin - side, size.code_margin, side


def darkest(picture: Image.Image, box: tuple[float, float, float, float], dots: float) -> int:
    """The darkest value inside a box given in millimetres."""
    left, top, right, bottom = (round(length / INCH * dots) for length in box)
    return find_darkest(picture.convert("L").crop((left, top, right, bottom)))


def find_darkest(picture: Image.Image) -> int:
    return next(value for value, count in enumerate(picture.convert("L").histogram()) if count)


@pytest.mark.parametrize("size", SIZES)
def test_codes_are_large_enough_and_have_their_quiet_zone(size: str) -> None:
    """On every face: nothing is printed within four squares of a code, and no square is under 0.35 mm."""
    given, dots = SIZES[size], 400.0
    left, top, side = locate_code(given)
    quiet, hair = QUIET * given.module, 0.09
    assert given.module >= 0.35
    for page in range(53):
        card = cut_out(render_page(open_deck(size), page, dots), 3, dots)
        around = (
            (left - quiet + hair, top - quiet + hair, left - hair, top + side + quiet - hair),
            (left + side + hair, top - quiet + hair, left + side + quiet - hair, top + side + quiet - hair),
            (left - quiet + hair, top - quiet + hair, left + side + quiet - hair, top - hair),
            (left - quiet + hair, top + side + hair, left + side + quiet - hair, top + side + quiet - hair),
        )
        if NAMES[page] != CUT:  # its paper is round at the corners
            assert [darkest(card, box, dots) for box in around] == [255] * 4, NAMES[page]
        assert darkest(card, (left, top, left + 7 * given.module, top + given.module), dots) < 60


@pytest.mark.parametrize(("worn", "is_read"), [(6, True), (12, False)])
def test_a_worn_code_is_read_until_too_much_is_gone(worn: int, is_read: bool) -> None:
    """Squares rubbed off at the corner without a mark: 6 x 6 of them are made up for, 12 x 12 are not."""
    size, dots = SIZES["poker"], PRINTED
    left, top, side = locate_code(size)
    for page in range(0, 53, 6):
        card = cut_out(render_page(open_deck("poker"), page, dots), 3)
        patch = Image.new("RGB", (round(worn * size.module / INCH * dots),) * 2, "white")
        corner = (round((left + side) / INCH * dots) - patch.width, round((top + side) / INCH * dots) - patch.height)
        upper = card.crop((0, 0, card.width, card.height // 2))
        upper.paste(patch, corner)
        assert read_codes(upper) == ([write_code(NAMES[page])] if is_read else []), NAMES[page]


@pytest.mark.parametrize("size", SIZES)
def test_nothing_of_a_face_is_lost_by_a_careless_cut(size: str) -> None:
    """The outer 2.2 millimetres of a face are bare; only the cut card has ink to beyond the cut."""
    safe = 2.2
    for page in range(52):
        card = cut_out(render_page(open_deck(size), page, PRINTED), 3).convert("L")
        edge = round(safe / INCH * PRINTED)
        inner = Image.new("L", card.size, 255)
        inner.paste(card.crop((edge, edge, card.width - edge, card.height - edge)), (edge, edge))
        assert ImageChops.difference(card, inner).getbbox() is None, NAMES[page]
    whole = render_page(open_deck(size), NAMES.index(CUT), PRINTED).convert("L")
    corners = [(1, 1), (whole.width - 2, 1), (1, whole.height - 2), (whole.width - 2, whole.height - 2)]
    assert [whole.getpixel(corner) for corner in corners] == [whole.getpixel((whole.width // 2, 1))] * 4
    assert find_darkest(whole.crop((1, 1, 2, 2))) < 200


@pytest.mark.parametrize("size", SIZES)
def test_every_card_is_the_same_turned_round(size: str) -> None:
    """But for the pips of some ranks: index and code are seen alike from both ends."""
    for page in range(52):
        card = cut_out(render_page(open_deck(size), page, 150.0), 3, 150.0).convert("L")
        width, height = card.width * 0.22, card.height * 0.14
        for left in (0.0, card.width - width):
            box = (round(left), 0, round(left + width), round(height))
            other = card.rotate(180).crop(box)
            difference = ImageChops.difference(card.crop(box), other)
            assert sum(difference.histogram()[128:]) <= 12, NAMES[page]


@pytest.mark.parametrize(("bleed", "marks"), [(3.0, False), (3.0, True), (5.0, True), (0.0, False)])
@pytest.mark.parametrize("size", SIZES)
def test_pages_have_the_boxes_of_a_print_shop(size: str, bleed: float, marks: bool) -> None:
    given = SIZES[size]
    document = pypdfium2.PdfDocument(print_deck(Print(given, bleed=bleed, marks=marks, words=WORDS)))
    assert len(document) == 54
    for page in document:
        media, trim, around = page.get_mediabox(), page.get_trimbox(), page.get_bleedbox()
        assert (trim[2] - trim[0], trim[3] - trim[1]) == pytest.approx((given.width * POINTS, given.height * POINTS))
        assert [trim[0] - around[0], trim[1] - around[1]] == pytest.approx([bleed * POINTS] * 2, abs=1e-3)
        assert [around[2] - trim[2], around[3] - trim[3]] == pytest.approx([bleed * POINTS] * 2, abs=1e-3)
        assert (media[2] - around[2] > 5 * POINTS) is marks
    picture = render_page(document, 0, PRINTED).convert("L")
    margin = round((document[0].get_bleedbox()[0] - 1) / 72 * PRINTED)
    assert (find_darkest(picture.crop((0, 0, picture.width, max(1, margin)))) < 128) is marks


def read_streams(file: bytes) -> Iterator[str]:
    for packed in re.findall(rb"stream\n(.*?)\nendstream", file, re.DOTALL):
        yield zlib.decompress(packed).decode()


OPERATORS = {"q", "Q", "cm", "Do", "k", "K", "w", "J", "d", "m", "l", "c", "h", "f", "S", "B", "n"}


def test_the_file_is_paths_in_process_inks_and_nothing_else() -> None:
    """No font that a shop could lack, no picture that is too coarse, no colour or transparency to be converted."""
    file = print_deck(Print(SIZES["poker"], marks=True, words=WORDS))
    used = {word for stream in read_streams(file) for word in stream.split() if re.match(r"[A-Za-z]", word)}
    assert used == OPERATORS - {"n"}
    assert not re.search(rb"/(Font|Image|ExtGState|Shading|Pattern|ICCBased|DeviceRGB|SMask)\b", file)
    codes = [stream for stream in read_streams(file) if stream.rstrip().endswith("f")]
    assert sum(stream.count("0 0 0 1 k") >= 2 for stream in codes) == 53


def test_the_same_deck_is_the_same_file_and_more_decks_cost_little() -> None:
    one, six = (Print(SIZES["poker"], decks=decks, words=WORDS) for decks in (1, 6))
    file = print_deck(one)
    assert file == print_deck(one)
    assert len(lay_out(six)) == 6 * 52 + 2
    assert [page.placed[0].name for page in lay_out(six)] == [*ORDER * 6, CUT, BACK]
    assert len(print_deck(six)) < len(file) + 120_000


@pytest.mark.parametrize("size", SIZES)
def test_sheets_hold_every_card_and_their_other_sides_lie_behind_them(size: str) -> None:
    order = Print(SIZES[size], bleed=0, words=WORDS, sheet_of=9)
    pages = lay_out(order)
    document = pypdfium2.PdfDocument(write_pdf("Ventuno", draw_deck(order), pages))
    assert len(pages) == 12
    fronts = [code for page in range(0, 12, 2) for code in read_codes(render_page(document, page, PRINTED))]
    assert sorted(fronts) == sorted(write_code(name) for name in (*ORDER, CUT) for _ in range(2))
    for front, back in zip(pages[::2], pages[1::2], strict=True):
        for upper, lower in zip(front.placed, back.placed, strict=True):
            assert lower.name == (CUT if upper.name == CUT else BACK)
            assert (upper.x + lower.x, upper.y) == pytest.approx((210 - order.size.width, lower.y))
        assert front.marks
    assert [len(page.placed) for page in pages] == [9] * 10 + [8] * 2


def test_what_does_not_fit_a_sheet_is_refused() -> None:
    with pytest.raises(DoesNotFit) as refused:
        lay_out(Print(SIZES["poker"], bleed=3, words=WORDS, sheet_of=9))
    assert refused.value.needed[0] > refused.value.room[0] == 210
    assert len(lay_out(Print(SIZES["poker"], bleed=3, words=WORDS, sheet_of=4))) == 28


def test_letters_are_those_of_the_font() -> None:
    """`python -m tests.support.outlines` writes them anew."""
    assert outlines.FILE.read_text(encoding="utf-8") == outlines.read_outlines()


def test_paths_are_read_as_browsers_read_them() -> None:
    assert read_path("M1 2 3 4h2v-1l1,1z") == read_path("M1 2L3 4L5 4L5 3L6 4Z")
    assert read_path("M0 0c1 1 2 1 3 0s2-1 3 0") == read_path("M0 0C1 1 2 1 3 0C4 -1 5 -1 6 0")
    assert read_path("M0 0Q3 3 6 0")[1].points == ((2, 2), (4, 2), (6, 0))
    assert read_path("M.5.5L1e1-2")[1].points == ((10, -2),)
    points = [point for segment in read_path("M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z") for point in segment.points[-1:]]
    assert [round(x * x + y * y, 9) for x, y in points] == [25] * len(points)
    assert {(round(x), round(y)) for x, y in points} == {(-5, 0), (0, 5), (5, 0), (0, -5)}


@pytest.mark.parametrize("text", ["M1", "M1 2 L3", "T1 1", "1 2", "M0 0Z5", "M0 0C1 2 3 4"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(NotAPath):
        read_path(text)


def test_transformations_apply_the_last_first() -> None:
    assert read_transform("translate(10 20) rotate(180) scale(.5)").apply((2, 4)) == pytest.approx((9, 18))
    assert read_transform("rotate(180 125 175)").apply((0, 0)) == pytest.approx((250, 350))
    assert turn(90).after(translate(1, 0)).apply((0, 0)) == pytest.approx((0, 1))
    assert stretch(2, 3) == Matrix(2, 0, 0, 3)
    with pytest.raises(NotOurArt):
        read_transform("skewX(3)")
