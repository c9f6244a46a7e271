import { render } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import LimitsPanel from '../parts/table/LimitsPanel.svelte';
import Spot from '../parts/table/Spot.svelte';
import { leverName } from '../pages/odds/names';
import { returns } from '../pages/help/sheet_lines';
import { lessons } from '../pages/help/lessons';
import { stepText } from '../pages/history/outcomes';
import { betting, game, lines, mine, results, round } from '../pages/parts/samples';
import { heard } from '../sound/lines';
import { nameSides } from '../table/boxes';
import { rulesOf } from '../table/rules';
import { lineTitle } from '../table/settlement';
import { announceChanges, describeTable } from '../table/text';
import { betName, speak, winName } from '../words/words.svelte';
import type { BoxShown, SpotShown } from '../parts/table/shown';

const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.svelte', '!./**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

const STEP = {
  seq: 1,
  at: 0,
  what: 'hit',
  player: 'me',
  origin: '',
  detail: '',
  box: 0,
  hand: 1,
  amount: 0,
  cards: '',
};
const MIXED = { category: 'mixed', pays: '6:1', stake: 100, returned: 700 };

describe('one spot has one name in its game', () => {
  test('names of bets are written by one function alone, which knows what the sheet calls them', () => {
    const others = Object.entries(sources)
      .filter(([, text]) =>
        /named\(\s*'(bet|spot|won)',(?! (spot\.named \?\?|spot\.won\.name|won\.won\.name))/.test(text),
      )
      .map(([path]) => path);
    expect(others).toEqual(['../words/words.svelte.ts']);
  });

  test.each([
    ['it', 'Coppia del giocatore', 'Coppia', 'Coppie Perfette', 'Coppia rossa/nera'],
    ['en', 'Player pair', 'Pair', 'Perfect Pairs', 'Red/black pair'],
  ] as const)(
    'circle, refusal, sums, limits, help and odds say the same, %s',
    (language, name, short, general, mixed) => {
      speak(language);
      const told = {
        ...game,
        looks: { ...game.looks, names: { 'perfect-pairs': 'player-pair', mixed: 'red-black' } },
        pay_tables: [{ bet: 'perfect-pairs', kind: 'pair', criterion: '', lines: [MIXED] }],
      };
      const rules = rulesOf(told);
      const side: SpotShown = {
        bet: 'perfect-pairs',
        amount: 0,
        state: 'closed',
        reasons: [{ code: 'MainBetMissing', numbers: { bet: 'perfect-pairs' } }],
        won: null,
        pending: false,
        limit: false,
      };
      const box = { box: 1, main: { ...side, bet: 'main', reasons: [] }, sides: [side] } as unknown as BoxShown;
      const [spot] = nameSides(box, rules).sides;
      const { container } = render(Spot, { spot: spot!, place: 'Posto 1', chips: [100], kind: 'side' });
      expect(container.querySelector('.label')?.textContent).toBe(short);
      expect(container.innerHTML).toContain(`${name},`);
      expect(container.textContent).toContain(`${name}:`);
      expect(container.innerHTML).not.toContain(general);
      const line = { ...lines[0]!, bet: 'perfect-pairs', box: 1, hand: 1 };
      expect(lineTitle(line, rules.names)).toContain(name);
      const limits = render(LimitsPanel, { limits: { 'perfect-pairs': { least: 1, most: 2 } }, names: rules.names });
      expect(limits.container.textContent).toContain(name);
      expect(leverName('sides.perfect-pairs.pays.mixed', rules.names)).toContain(name);
      expect(leverName('sides.perfect-pairs.pays.mixed', rules.names)).toContain(mixed);
      expect(JSON.stringify(lessons(told))).toContain(`"name":"${mixed}"`);
      const won = nameSides({ ...box, sides: [{ ...side, won: { name: 'mixed', gain: 600 } }] }, rules).sides[0]?.won;
      expect(winName(won!.name)).toBe(mixed);
      expect(betName('perfect-pairs', rules.names)).toBe(name);
      expect(returns(told).map((one) => one.bet)).not.toContain(general);
      expect(JSON.stringify(lessons(told))).not.toContain(`"title":"${general}"`);
    },
  );
});

describe.each([
  ['it', 'table.box', 'Box'],
  ['it', 'solo.hand', 'Mano'],
  ['it', 'solo.seat', 'Posto'],
  ['en', 'table.box', 'Box'],
  ['en', 'solo.hand', 'Hand'],
  ['en', 'solo.seat', 'Seat'],
] as const)('whoever listens hears the name of the felt, %s %s', (language, word, place) => {
  test('in the words of the table, in announcements, in the dealer’s voice, in the steps of a round', () => {
    speak(language);
    const inside = place.toLowerCase();
    const texts = (before: typeof round, after: typeof round): string[] =>
      announceChanges(before, after, mine, word).map((one) => one.text);
    const dealt = { ...round, turn: null };
    const bonus = { ...round, turn: { ...round.turn!, hand: 0 } };
    const [own] = round.boxes.filter((box) => box.box === 4);
    const drawn = { ...round, boxes: [{ ...own!, hands: [{ ...own!.hands[0]!, cards: ['AD', '6S', '4H'] }] }] };
    const told = [
      ...describeTable(round, mine, 7, {}, word).boxes,
      ...texts(round, drawn),
      ...texts(round, results).slice(0, 1),
      ...heard({ open: dealt, mine }, round, mine, word).lines,
      stepText({ ...STEP, box: 4 }, word)!,
    ];
    for (const text of told.filter((one) => /\b4[,:]/.test(one))) expect(text).toMatch(new RegExp(`^${place} 4[,:]`));
    expect(told.filter((one) => one.startsWith(`${place} 4`)).length).toBeGreaterThanOrEqual(4);
    const spoken = [...texts(betting, dealt).slice(2, 3), ...texts(dealt, round), ...texts(round, bonus)];
    spoken.push(describeTable(bonus, mine, 7, {}, word).may);
    expect(spoken).toHaveLength(4);
    for (const text of spoken) expect(text).toContain(`, ${inside} 4`);
    if (word !== 'table.box') expect([...told, ...spoken].join(' ')).not.toMatch(/\bbox/i);
  });
});
