"""Golden images: how a screen looked when it was last looked at, and whether it still does.

Compared by the browser itself, in blocks of so many pixels: another version of Chromium smooths its edges otherwise and
moves no block far, while a part that is gone, moved or of another colour moves several. `VENTUNO_GOLDEN=write` keeps
the pictures as they are now; look at each before you commit it.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parent / "golden"
BLOCK = 8
MEAN, WORST = 4.0, 33.0
"""Of 255: how far all blocks may be from the golden picture on average, and how far the third worst of them."""
QUALITY, LARGE = 0.62, 600_000
"""Pictures of more pixels are kept at half their size."""
WRITE = os.environ.get("VENTUNO_GOLDEN") == "write"
COMPARED = """async ([now, golden, block]) => {
  const decoded = async (text, type) => {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    return createImageBitmap(new Blob([bytes], { type }));
  };
  const [mine, theirs] = await Promise.all([decoded(now, 'image/png'), decoded(golden, 'image/webp')]);
  if (Math.abs(mine.width / mine.height - theirs.width / theirs.height) > .01) {
    return { mean: 255, worst: 255, where: `${mine.width} x ${mine.height}, not ${theirs.width} x ${theirs.height}` };
  }
  const [width, height] = [Math.round(mine.width / block), Math.round(mine.height / block)];
  const blocks = (picture) => {
    const paper = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    paper.imageSmoothingQuality = 'high';
    paper.drawImage(picture, 0, 0, width, height);
    return paper.getImageData(0, 0, width, height).data;
  };
  const [a, b] = [blocks(mine), blocks(theirs)];
  const off = Array.from({ length: width * height }, (_, k) =>
    Math.max(...[0, 1, 2].map((c) => Math.abs(a[k * 4 + c] - b[k * 4 + c]))));
  const order = [...off.keys()].sort((p, q) => off[q] - off[p]);
  const where = order.slice(0, 3).map((k) => `${(k % width) * block},${Math.floor(k / width) * block}`).join(' ');
  return { mean: off.reduce((sum, one) => sum + one, 0) / off.length, worst: off[order[2]], where };
}"""
KEPT = """async ([now, quality, large]) => {
  const bytes = Uint8Array.from(atob(now), (one) => one.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const scale = picture.width * picture.height > large ? .5 : 1;
  const canvas = new OffscreenCanvas(picture.width * scale, picture.height * scale);
  const paper = canvas.getContext('2d');
  paper.imageSmoothingQuality = 'high';
  paper.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
  const read = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (const one of read) text += String.fromCharCode(one);
  return btoa(text);
}"""


class Difference(NamedTuple):
    mean: float
    worst: float
    where: str

    @property
    def seen(self) -> bool:
        return self.mean > MEAN or self.worst > WORST

    def __str__(self) -> str:
        return f"mean {self.mean:.2f} of {MEAN}, worst {self.worst:.0f} of {WORST:.0f}, at {self.where}"


class Wall:
    """Where pictures are held side by side: an empty page, under nobody's policy."""

    def __init__(self, browser: Browser) -> None:
        self.page: Page = browser.new_page()

    def kept(self, picture: bytes) -> bytes:
        """A picture as small as it is kept."""
        return base64.b64decode(self.page.evaluate(KEPT, [base64.b64encode(picture).decode(), QUALITY, LARGE]))

    def compared(self, picture: bytes, golden: bytes) -> Difference:
        given = [base64.b64encode(one).decode() for one in (picture, golden)]
        return Difference(**self.page.evaluate(COMPARED, [*given, BLOCK]))

    def differs(self, name: str, picture: bytes) -> Difference | None:
        """What differs from the golden picture of this name, if anything that one would see."""
        file = FOLDER / f"{name}.webp"
        if WRITE:
            FOLDER.mkdir(exist_ok=True)
            file.write_bytes(self.kept(picture))
            return None
        assert file.is_file(), f"no golden picture {file.name}: write it with VENTUNO_GOLDEN=write, and look at it"
        found = self.compared(picture, file.read_bytes())
        return found if found.seen else None
