"""X-01 in a browser: the verifier as a file without the house, as a page of the house, and inside its rooms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.played_account import PASSWORD, account
from tests.support.browser.visitor import Visitor
from tests.support.chained_shoes import FILE as SEQUENCE
from tests.support.lying_house import FILE as LIES
from tests.support.lying_house import resign
from tests.support.sample_shoes import VECTORS
from tests.support.server_process import ServerProcess
from tests.support.tampered_documents import FILE, applied, stored
from ventuno.house.store import canonical_json

Visit = Callable[..., Visitor]
ALONE = "ventuno-verifier.html"
STEPS = ("rules", "cut", "cards", "rounds", "payouts", "opening", "receipt", "chain", "kept")
SIZES = ((360, 740), (740, 360), (820, 1180), (1280, 800), (1920, 1080))
DROPPED = """(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], 'mano.json', { type: 'application/json' }));
  window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def player(house: ServerProcess) -> Iterator[httpx.Client]:
    """Somebody who has played a hand, and is known to the house."""
    name = account(house.url, {"first-person": 1}).name
    with httpx.Client(base_url=house.url, headers={"X-Ventuno": "1", "Origin": house.url}) as http:
        assert http.post("/api/login", json={"name": name, "password": PASSWORD}).is_success
        yield http


@pytest.fixture(scope="module")
def document(player: httpx.Client) -> dict[str, Any]:
    """The document of a hand, as the house hands it out."""
    code = player.get("/api/history").json()["lines"][0]["code"]
    found: dict[str, Any] = player.get(f"/api/verify/{code}").json()
    return found


def given(page: Page, document: object, name: str = "mano.json") -> None:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    page.locator("input[data-document]").set_input_files({"name": name, "mimeType": "application/json", "buffer": raw})
    expect(page.get_by_text(name)).to_be_visible()


def marks(page: Page) -> dict[str, str]:
    found = page.locator("[data-step]").all()
    return {one.get_attribute("data-step") or "": one.get_attribute("data-mark") or "" for one in found}


def own_hand(visitor: Visitor, player: httpx.Client) -> Page:
    """The last hand of this player, from his history."""
    cookies: Any = [{"name": name, "value": value, "url": visitor.url} for name, value in player.cookies.items()]
    visitor.context.add_cookies(cookies)
    page = visitor.go("/history")
    page.locator(".list li a").first.click()
    return page


def test_x01_the_file_and_a_hand_are_downloaded_and_verified_without_the_house(
    visit: Visit, player: httpx.Client, tmp_path: Path
) -> None:
    page = own_hand(visitor := visit(), player)
    for name in ("Scarica il verificatore", "Scarica la prova"):
        with page.expect_download() as told:
            page.get_by_role("link", name=name).click()
        told.value.save_as(tmp_path / told.value.suggested_filename)
    hand = next(file for file in tmp_path.iterdir() if file.name != ALONE)
    visitor.context.set_offline(True)
    page.goto((tmp_path / ALONE).as_uri())
    page.locator("input[data-document]").set_input_files(hand)
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_focused()
    assert marks(page) == {**dict.fromkeys(STEPS, "ok"), "kept": "skipped"}
    visitor.context.set_offline(False)


def test_x01_one_changed_card_fails_and_is_named(visit: Visit, pages: Path, document: dict[str, Any]) -> None:
    page = (visitor := visit()).page
    page.goto((pages / ALONE).as_uri())
    card = document["dealt"][0]["card"]
    given(page, applied(document, [[["dealt", 0, "card"], "7H" if card != "7H" else "7S"]]), "cambiata.json")
    expect(page.get_by_role("heading", name="Qualcosa non torna")).to_be_focused()
    expect(page.get_by_text("Dove: dealt[0]")).to_be_visible()
    assert marks(page) == dict(zip(STEPS, ["ok", "ok", "bad", *["unreached"] * 6], strict=True))
    given(page, document, "intera.json")
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_visible()
    assert visitor.complaints == []


def test_x01_what_python_finds_is_named_alike_in_the_browser(visit: Visit, pages: Path) -> None:
    """Faults of each kind of place that both verifiers share; all of them run in the unit tests of the client."""
    listed = [case for case in json.loads(FILE.read_bytes()) if case["readable"] and case["at"]]
    cases = {case["at"]: case for case in listed if "beacon" not in case["document"]}  # of a chain with a test key
    assert len(cases) > 30
    few = [cases[at] for at in sorted(cases)[:: len(cases) // 10]]
    page = visit().page
    page.goto((pages / ALONE).as_uri())
    for i, case in enumerate(few):
        given(page, applied(stored(case["document"]), case["changes"]), f"caso-{i}.json")
        expect(page.locator("[data-verdict=fails]")).to_be_visible()
        expect(page.get_by_text(f"Dove: {case['at']}", exact=True)).to_be_visible()


def test_l22_a_wheel_that_was_moved_is_named_and_a_published_beacon_holds(visit: Visit, pages: Path) -> None:
    """Draws are drawn again, and the curve of the beacon is loaded, in a file without a network."""
    visitor = visit()
    page = visitor.page
    visitor.context.set_offline(True)
    page.goto((pages / ALONE).as_uri())
    given(page, stored("link-2"), "bonus.json")
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_visible()
    expect(page.locator("[data-step=opening]")).to_contain_text("estratti di nuovo dal seme sigillato")
    moved = next(case for case in json.loads(FILE.read_bytes()) if case["name"] == "a wheel moved by one")
    given(page, applied(stored("link-2"), moved["changes"]), "ruota.json")
    expect(page.locator("[data-verdict=fails]")).to_contain_text("dal seme sigillato")
    expect(page.get_by_text(f"Dove: {moved['at']}", exact=True)).to_be_visible()
    assert marks(page)["opening"] == "bad"
    given(page, stored("link-1"), "vecchia.json")
    expect(page.get_by_text("Ruota e tabelloni non erano sigillati con questo sabot")).to_be_visible()
    given(page, stored("ventuno-2-quicknet"), "faro.json")
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_visible()
    expect(page.locator("[data-step=cut]")).to_contain_text("turno 32285086 di un faro pubblico")
    given(page, stored("ventuno-2-beacon"), "altro-faro.json")
    expect(page.get_by_text("di cui questo verificatore non si fida").first).to_be_visible()
    assert visitor.complaints == []
    visitor.context.set_offline(False)


def test_x01_a_file_of_another_kind_is_refused_in_words(visit: Visit, pages: Path) -> None:
    page = visit().page
    page.goto((pages / ALONE).as_uri())
    for raw in (b"", b"\xff\xfe", b'{"a":1,"a":2}', b"[1,2", b'{"format":"other"}', b"<html>"):
        given(page, raw, f"file-{len(raw)}.json")
        expect(page.get_by_role("heading", name="Questo non è un documento di Ventuno")).to_be_visible()
        expect(page.get_by_text("Il formato è sbagliato")).to_be_visible()


def test_x01_dropped_pasted_and_chosen_by_keyboard(visit: Visit, pages: Path) -> None:
    text = (VECTORS / "document-ventuno-in-use.json").read_text(encoding="utf-8")
    page = visit().page
    page.goto((pages / ALONE).as_uri())
    page.evaluate(DROPPED, text)
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_visible()
    expect(page.get_by_text("bruno non ha rivelato la sua parte.")).to_be_visible()
    assert marks(page)["opening"] == "skipped"
    page.reload()
    page.get_by_text("Oppure incolla il testo").press("Enter")
    page.get_by_label("Il documento come testo").fill(text)
    page.get_by_role("button", name="Verifica il testo").press("Enter")
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_focused()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Scegli i file").press("Enter")
    chooser.value.set_files(VECTORS / "document-duello.json")
    expect(page.get_by_text("File: document-duello.json")).to_be_visible()
    expect(page.get_by_text(re.compile("21 Duello: tutto ciò"))).to_be_visible()


def test_x01_the_key_that_must_have_signed(visit: Visit, pages: Path) -> None:
    page = visit().page
    page.goto((pages / ALONE).as_uri())
    whole = stored("duello")
    page.get_by_label("Chiave pubblica").fill("00")
    expect(page.get_by_role("button", name="Scegli i file")).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Chiave pubblica").fill("00" * 32)
    given(page, whole, "altra-chiave.json")
    expect(page.get_by_text("Ha firmato un’altra chiave.").first).to_be_visible()
    page.get_by_label("Chiave pubblica").fill(whole["receipt"]["key"])
    given(page, whole, "sua-chiave.json")
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_visible()


def test_x01_the_page_of_the_house_runs_under_its_policy(visit: Visit, document: dict[str, Any]) -> None:
    visitor = visit(locale="en-GB")
    page = visitor.go("/verifier.html")
    given(page, document)
    expect(page.get_by_role("heading", name="Everything checks out")).to_be_visible()
    assert visitor.complaints == []
    page = visitor.go(f"/{ALONE}")
    expect(page.get_by_text("This file is opened from your device")).to_be_visible()
    expect(page.locator("input")).to_have_count(0)
    assert all("policy" in one or "Content Security Policy" in one for one in visitor.complaints)
    assert visitor.complaints
    visitor.complaints.clear()


def test_x01_from_a_hand_to_its_proof_in_the_room(visit: Visit, player: httpx.Client) -> None:
    page = own_hand(visit(), player)
    page.get_by_role("link", name="Verifica qui").click()
    expect(page.get_by_role("heading", name="Il verificatore", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="Tutto torna")).to_be_visible()
    key = page.evaluate("() => fetch('/api/fairness').then((answer) => answer.json())")["key"]
    expect(page.get_by_text(key)).to_be_visible()


def test_x19_a_hand_that_is_not_there_is_said(visit: Visit) -> None:
    """By somebody of his own: proofs are dear, and an account may ask for few of them at once."""
    visitor = visit()
    page = visitor.go("/")
    page.get_by_role("button", name="Gioca come ospite").click()
    expect(page.get_by_role("heading", name=re.compile("^Buon"))).to_be_visible()
    visitor.go("/verify")
    page.get_by_label("Codice della mano").fill("nessuna")
    page.get_by_role("button", name="Prendi e verifica").first.click()
    expect(page.get_by_role("group", name="Avvisi").get_by_text(re.compile("nessuna"))).to_be_visible()
    visitor.complaints[:] = [one for one in visitor.complaints if "404" not in one]


@pytest.mark.parametrize("locale", ["it-IT", "en-GB"])
def test_x01_is_accessible_and_fits(visit: Visit, axe: Callable[[Page], list[str]], locale: str) -> None:
    visitor = visit(locale=locale)
    for path, document in (("/verifier.html", "ventuno"), ("/verify", "ventuno-in-use")):
        page = visitor.go(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        given(page, stored(document))
        page.get_by_text(re.compile("^(Oppure incolla|Or paste)")).click()
        assert axe(page) == [], path
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)


def files(*documents: dict[str, Any]) -> list[Any]:
    return [
        {"name": f"sabot-{i}.json", "mimeType": "application/json", "buffer": json.dumps(document).encode()}
        for i, document in enumerate(documents, start=1)
    ]


def test_x01_several_shoes_are_verified_at_once_and_against_each_other(
    visit: Visit, pages: Path, axe: Callable[[Page], list[str]]
) -> None:
    """One verdict a shoe and one for the chain: whole, with a gap, with a shoe exchanged, with one that fails."""
    told = json.loads(SEQUENCE.read_bytes())
    first, second, third, fourth = told["documents"]
    page = visit().page
    page.goto((pages / ALONE).as_uri())
    chosen, rows = page.locator("input[data-document]"), page.locator("[data-shoe-verdict]")
    chosen.set_input_files(files(third, first, second))
    expect(page.get_by_role("heading", name="I sabot si susseguono")).to_be_focused()
    expect(rows).to_have_count(3)
    expect(page.locator("[data-shoe-verdict=holds]")).to_have_count(3)
    expect(page.locator("[data-verdict=holds]")).to_contain_text("Sabot 3 del tavolo T7")
    rows.nth(1).press("Enter")
    expect(page.locator("[data-verdict=holds]")).to_contain_text("Sabot 1 del tavolo T7")
    assert axe(page) == []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
    chosen.set_input_files(files(first, fourth))
    expect(page.locator("[data-sequence=open]")).to_contain_text("Non dati: i sabot 2, 3.")
    broken = applied(second, [[["entropy", "cut_card"], 3]])
    chosen.set_input_files(files(first, broken))
    expect(page.locator("[data-sequence=open]")).to_contain_text("1 documento non regge da sé")
    expect(page.locator("[data-shoe-verdict=fails]")).to_have_count(1)
    lie = resign(applied(third, [[["commitment", "previous"], canonical_json.digest(first["commitment"]).hex()]]))
    for part in lie["entropy"]["contributions"]:
        part.pop("key", None)
        part.pop("signature", None)
    chosen.set_input_files(files(second, resign(lie)))
    expect(page.locator("[data-shoe-verdict=holds]")).to_have_count(2)
    expect(page.locator("[data-sequence=fails]")).to_contain_text("Il sabot 3 del tavolo T7 non segue il sabot 2")


def test_x01_shoes_are_listed_and_verified_by_their_number(visit: Visit, player: httpx.Client) -> None:
    """From the list of those without a round, as the house tells it of closed tables, and by table and number."""
    table = player.post("/api/solo/first-person").json()["table"]
    shoes = player.get(f"/api/tables/{table}/shoes").json()["shoes"]
    number = next(line["shoe"] for line in shoes if line["cut"])
    listed = {"table": table, "shoe": number, "game": "first-person", "commitment": "00" * 32, "retired": "closed"}
    told = player.get("/api/fairness").json() | {"discarded": [listed]}
    visitor = visit()
    cookies: Any = [{"name": name, "value": value, "url": visitor.url} for name, value in player.cookies.items()]
    visitor.context.add_cookies(cookies)
    visitor.page.route("**/api/fairness", lambda route: route.fulfill(json=told))
    page, verdict = visitor.go("/verify"), f"Sabot {number} del tavolo {table}"
    page.get_by_role("button", name=f"Prendi e verifica il sabot {number} del tavolo {table}").click()
    expect(page.locator("[data-verdict=holds]")).to_contain_text(verdict)
    page = visitor.go("/verify")
    expect(page.get_by_role("button", name="Prendi e verifica").nth(1)).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Tavolo", exact=True).fill(table)
    page.get_by_label("Sabot", exact=True).fill(str(number))
    page.get_by_label("Sabot", exact=True).press("Enter")
    expect(page.locator("[data-verdict=holds]")).to_contain_text(verdict)


def add_kept(page: Page, name: str) -> None:
    page.locator("input[data-kept]").set_input_files(VECTORS / f"kept-{name}.json")
    expect(page.get_by_text(f"kept-{name}.json")).to_be_visible()


def test_x24_the_file_says_on_whose_word_a_verdict_rests(visit: Visit, pages: Path) -> None:
    """The same document: by others' word, by one's own with what was kept; a liar's is named by it."""
    page = visit().page
    page.goto((pages / ALONE).as_uri())
    given(page, stored("ventuno-2"), "altrui.json")
    expect(page.locator("[data-basis=players]")).to_contain_text(
        "Verificato se ti fidi che uno di 3 giocatori fosse vero"
    )
    assert marks(page)["kept"] == "skipped"
    add_kept(page, "ventuno-2")
    given(page, stored("ventuno-2"), "mia.json")
    expect(page.locator("[data-basis=you]")).to_contain_text("Verificato da te")
    assert marks(page)["kept"] == "ok"
    lies = {case["name"]: case for case in json.loads(LIES.read_bytes()) if case["document"] == "ventuno-2"}
    lie = lies["foreign bytes under a key of the house"]
    given(page, applied(stored("ventuno-2"), lie["changes"]), "bugia.json")
    expect(page.get_by_role("heading", name="Qualcosa non torna")).to_be_visible()
    expect(page.get_by_text("la casa ne ha messi altri al loro posto").first).to_be_visible()
    expect(page.get_by_text("Dove: kept.entropy")).to_be_visible()
    assert marks(page)["kept"] == "bad"


def test_x24_the_house_tells_how_its_cuts_went(visit: Visit, player: httpx.Client) -> None:
    told = player.get("/api/fairness").json()["cuts"]["first-person"]
    assert told["cut"] >= 1
    assert told["asked"] == told["cut"]
    page = visit().go("/verify")
    row = page.get_by_role("table").filter(has=page.get_by_role("columnheader", name="Non rivelati"))
    expect(row.get_by_role("row").nth(1)).to_be_visible()
