"""Golden images: how a screen looked when it was last looked at, and whether it still does.

A picture is held beside its golden one as small as both are kept, so that what is lost in keeping it is lost on both
sides: the same screen gives the same bytes. Where they differ, a point counts as far as it lies beyond all its
neighbours in the other picture, and some levels more: a few points drawn a shade otherwise make the keeping of all
others differ by as much. `VENTUNO_GOLDEN=write` keeps the pictures as they are now; look at each before you commit it.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parents[2] / "browser" / "golden"
BLOCK, SHADE = 16, 16
"""The side of a block in points, and the levels that make no difference."""
WORST = 0.6
"""How far the points of one block may differ on average: the same screens of several runs do by less than 0.4, a small
word of another colour by more than 1, another word by 6.
"""
QUALITY, WIDEST = 0.5, 1280
"""How well a picture is kept, and how wide at most: wider ones are kept smaller."""
WRITE = os.environ.get("VENTUNO_GOLDEN") == "write"
COMPARED = """async ([now, golden, block, shade]) => {
  const decoded = async (text) => {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/webp' }));
    const paper = new OffscreenCanvas(picture.width, picture.height).getContext('2d', { willReadFrequently: true });
    paper.drawImage(picture, 0, 0);
    return paper.getImageData(0, 0, picture.width, picture.height);
  };
  const [mine, theirs] = await Promise.all([decoded(now), decoded(golden)]);
  const { width, height } = mine;
  if (width !== theirs.width || height !== theirs.height) {
    return { worst: 255, where: `${width} x ${height}, not ${theirs.width} x ${theirs.height}` };
  }
  const row = width * 4;
  const furthest = (data, over) => {
    const [across, all] = [new Uint8ClampedArray(data.length), new Uint8ClampedArray(data.length)];
    const pass = (from, to, step, first, last) => {
      for (let k = 0; k < from.length; k += 1) {
        const [before, after] = [first(k) ? from[k] : from[k - step], last(k) ? from[k] : from[k + step]];
        to[k] = over ? Math.max(from[k], before, after) : Math.min(from[k], before, after);
      }
    };
    pass(data, across, 4, (k) => k % row < 4, (k) => k % row >= row - 4);
    pass(across, all, row, (k) => k < row, (k) => k >= data.length - row);
    return all;
  };
  const off = new Float32Array(width * height);
  for (const [a, b] of [[mine.data, theirs.data], [theirs.data, mine.data]]) {
    const [least, most] = [furthest(b, false), furthest(b, true)];
    for (let k = 0; k < a.length; k += 1) {
      const beyond = Math.max(a[k] - most[k], least[k] - a[k]) - shade;
      if (beyond > off[k >> 2]) off[k >> 2] = beyond;
    }
  }
  const [columns, rows] = [Math.ceil(width / block), Math.ceil(height / block)];
  const sums = new Float64Array(columns * rows);
  for (let k = 0; k < off.length; k += 1) {
    sums[Math.floor(Math.floor(k / width) / block) * columns + Math.floor((k % width) / block)] += off[k];
  }
  const order = [...sums.keys()].sort((p, q) => sums[q] - sums[p]);
  const where = order.slice(0, 3).map((k) => `${(k % columns) * block},${Math.floor(k / columns) * block}`).join(' ');
  return { worst: sums[order[0]] / block ** 2, where };
}"""
KEPT = """async ([now, quality, widest]) => {
  const bytes = Uint8Array.from(atob(now), (one) => one.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const scale = Math.min(1, widest / picture.width);
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
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
    worst: float
    where: str

    @property
    def seen(self) -> bool:
        return self.worst > WORST

    def __str__(self) -> str:
        return f"differs by {self.worst:.1f} of {WORST:.1f}, most at {self.where}"


class Wall:
    """Where pictures are held side by side: an empty page, under nobody's policy."""

    def __init__(self, browser: Browser) -> None:
        self.page: Page = browser.new_page()

    def kept(self, picture: bytes) -> bytes:
        """A picture as small as it is kept."""
        return base64.b64decode(self.page.evaluate(KEPT, [base64.b64encode(picture).decode(), QUALITY, WIDEST]))

    def compared(self, kept: bytes, golden: bytes) -> Difference:
        if kept == golden:
            return Difference(0.0, "")
        given = [base64.b64encode(one).decode() for one in (kept, golden)]
        return Difference(**self.page.evaluate(COMPARED, [*given, BLOCK, SHADE]))

    def differs(self, name: str, picture: bytes) -> Difference | None:
        """What differs from the golden picture of this name, if anything that one would see."""
        file, kept = FOLDER / f"{name}.webp", self.kept(picture)
        if WRITE:
            FOLDER.mkdir(exist_ok=True)
            file.write_bytes(kept)
            return None
        assert file.is_file(), f"no golden picture {file.name}: write it with VENTUNO_GOLDEN=write, and look at it"
        found = self.compared(kept, file.read_bytes())
        return found if found.seen else None
