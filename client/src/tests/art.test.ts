import { render } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import CardBack from '../art/CardBack.svelte';
import CardFace from '../art/CardFace.svelte';
import { RANKS, SHAPES, SUITS } from '../art/cards';

/** The drawing as the components make it: no comments, no names of styles, each suit's outline by its letter. */
function plain(markup: string): string {
  const bare = markup
    .replace(/<!--.*?-->/g, '')
    .replace(/ class="[^"]*"/g, '')
    .replace(/ aria-hidden="true"/g, '')
    .replace(/<(\w+)([^>]*)><\/\1>/g, '<$1$2/>')
    .trim();
  return Object.entries(SHAPES).reduce((text, [suit, shape]) => text.replaceAll(`"${shape}"`, `"@${suit}"`), bare);
}

/** What `ventuno deck` prints: every face, the back, and the outlines of the suits. */
function describeArt(): string {
  const faces = SUITS.flatMap((suit) =>
    RANKS.map((rank) => [rank + suit, plain(render(CardFace, { card: { rank, suit } }).container.innerHTML)]),
  ).map(([card, markup]) => [card, markup!.replace(/^<div>|<\/div>$/g, '')]);
  const back = plain(render(CardBack).container.innerHTML);
  return `${JSON.stringify({ shapes: SHAPES, back, faces: Object.fromEntries(faces) as object }, null, 1)}\n`;
}

test('the printed deck is drawn as on the screen (`npm run art` writes it anew)', async () => {
  await expect(describeArt()).toMatchFileSnapshot('../../../src/ventuno/deck/art.json');
});
