import { render } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import LimitsPanel from '../parts/table/LimitsPanel.svelte';
import Spot from '../parts/table/Spot.svelte';
import { leverName } from '../pages/odds/names';
import { returns } from '../pages/help/sheet_lines';
import { lessons } from '../pages/help/lessons';
import { game, lines } from '../pages/parts/samples';
import { nameSides } from '../table/boxes';
import { rulesOf } from '../table/rules';
import { lineTitle } from '../table/settlement';
import { betName, speak, winName } from '../words/words.svelte';
import type { BoxShown, SpotShown } from '../parts/table/shown';

const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.svelte', '!./**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

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
      const { container } = render(Spot, { spot: spot!, box: 1, chips: [100], kind: 'side' });
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
