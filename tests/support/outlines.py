"""The outlines of the letters on printed cards, from the font of the pages: `python -m tests.support.outlines`.

Fraunces is under the SIL Open Font Licence; its text is in the notices of the pages.
"""

import json
from pathlib import Path

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

ROOT = Path(__file__).resolve().parents[2]
FONT = "@fontsource-variable/fraunces/files/fraunces-latin-opsz-normal.woff2"
FILE = ROOT / "src" / "ventuno" / "deck" / "letters.json"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÈÉÌÒÙabcdefghijklmnopqrstuvwxyzàèéìòù0123456789 .,·-’"
STYLES = {
    "index": ({"wght": 600, "opsz": 48}, "0123456789AJQK"),
    "display": ({"wght": 500, "opsz": 72}, LETTERS),
}
"""As the pages have them: CardIndex.svelte, CardBack.svelte."""


def read_outlines() -> str:
    """Each letter with its advance and its path, in parts of an em of 2000, downwards as SVG has it."""
    styles = {}
    for style, (axes, letters) in STYLES.items():
        font = TTFont(ROOT / "client" / "node_modules" / FONT)
        instancer.instantiateVariableFont(font, axes, inplace=True)
        glyphs, names = font.getGlyphSet(), font.getBestCmap()
        entries = {}
        for letter in letters:
            pen = SVGPathPen(glyphs, ntos=lambda value: format(round(value), "d"))
            glyphs[names[ord(letter)]].draw(TransformPen(pen, (1, 0, 0, -1, 0, 0)))
            entries[letter] = [round(glyphs[names[ord(letter)]].width), pen.getCommands()]
        styles[style] = entries
    document = {"source": "Fraunces, SIL Open Font License 1.1", "em": 2000, "styles": styles}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(read_outlines(), encoding="utf-8")
