import { render } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import LimitsPanel from '../parts/table/LimitsPanel.svelte';
import Spot from '../parts/table/Spot.svelte';
import { leverName } from '../pages/odds/names';
import { returns } from '../pages/help/sheet_lines';
import { lessons } from '../pages/help/lessons';
import { game, lines } from '../pages/parts/samples';
import { soloBox } from '../table/boxes';
import { rulesOf } from '../table/rules';
import { lineTitle } from '../table/settlement';
import { betName, speak } from '../words/words.svelte';
import type { BoxShown, SpotShown } from '../parts/table/shown';

const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.svelte', '!./**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

describe('one spot has one name in its game', () => {
  test('names of bets are written by one function alone, which knows what the sheet calls them', () => {
    const others = Object.entries(sources)
      .filter(([, text]) => /named\(\s*'(bet|spot)',(?! spot\.named \?\?)/.test(text))
      .map(([path]) => path);
    expect(others).toEqual(['../words/words.svelte.ts']);
  });

  test.each([
    ['it', 'Coppia del giocatore', 'Coppia'],
    ['en', 'Player pair', 'Pair'],
  ] as const)('circle, refusal, sums, limits, help and odds say the same, %s', (language, name, short) => {
    speak(language);
    const told = { ...game, looks: { ...game.looks, names: { 'perfect-pairs': 'player-pair' } } };
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
    const [spot] = soloBox(box, rules, false).sides;
    const { container } = render(Spot, { spot: spot!, box: 1, chips: [100], kind: 'side' });
    expect(container.querySelector('.label')?.textContent).toBe(short);
    expect(container.innerHTML).toContain(`${name},`);
    expect(container.textContent).toContain(`${name}:`);
    expect(container.innerHTML).not.toContain('Perfect Pairs');
    const line = { ...lines[0]!, bet: 'perfect-pairs', box: 1, hand: 1 };
    expect(lineTitle(line, rules.names)).toContain(name);
    const limits = render(LimitsPanel, { limits: { 'perfect-pairs': { least: 1, most: 2 } }, names: rules.names });
    expect(limits.container.textContent).toContain(name);
    expect(leverName('sides.perfect-pairs.pays.mixed', rules.names)).toContain(name);
    expect(betName('perfect-pairs', rules.names)).toBe(name);
    expect(returns(told).map((one) => one.bet)).not.toContain('Perfect Pairs');
    expect(JSON.stringify(lessons(told))).not.toContain('"title":"Perfect Pairs"');
  });
});
