import { expect, test } from 'vitest';

import { poseDealer } from '../table/dealer';
import { betting, results, round } from '../pages/parts/samples';

test('the dealer looks at the box that plays: the first is at the viewer’s right', () => {
  const at = (box: number): number => poseDealer({ ...round, turn: { ...round.turn!, box } }, 7).look;
  expect([at(1), at(4), at(7)]).toEqual([1, 0, -1]);
});

test('the dealer looks down while cards are dealt and turned, and ahead when nothing goes on', () => {
  const mood = (stage: string): string => poseDealer({ ...round, turn: null, stage }, 7).mood;
  expect([mood('deal'), mood('dealer'), mood('insurance')]).toEqual(['deals', 'turns', 'calm']);
  expect(poseDealer(betting, 7)).toEqual({ look: 0, mood: 'calm' });
});

test('the dealer smiles at a Blackjack that won, and only when it is paid', () => {
  const naturals = (outcome: string): typeof results.boxes => [
    { ...results.boxes[0]!, box: 7, hands: [{ ...results.boxes[0]!.hands[0]!, status: 'blackjack', outcome }] },
  ];
  expect(poseDealer({ ...results, boxes: naturals('blackjack') }, 7)).toEqual({ look: -1, mood: 'smiles' });
  expect(poseDealer({ ...results, boxes: naturals('push') }, 7).mood).toBe('calm');
  expect(poseDealer({ ...round, turn: null, boxes: naturals('') }, 7).mood).not.toBe('smiles');
});
