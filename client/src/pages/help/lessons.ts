import { odds, rulesOf, type Rules } from '../../table/rules';
import type { GameResponse, PayTable } from '../../wire/types';
import { figure, whole } from '../../words/figures';
import { betName, brief, named, t, winName } from '../../words/words.svelte';
import { duration, teach, teachWord, type TeachKey } from '../../words/teach';

/** Cards that lie together in a picture; null is one face down. */
export interface Hand {
  label: string;
  cards: readonly (string | null)[];
  total?: string;
}
export interface Prize {
  name: string;
  cards: readonly (string | null)[];
  pays: string;
}
/** One thing to learn: a sentence or some, with the cards that show it. */
export interface Item {
  title?: string;
  texts: readonly string[];
  hands?: readonly Hand[];
  chips?: readonly number[];
  prizes?: readonly Prize[];
  list?: readonly string[];
}
export interface Lesson {
  id: string;
  title: string;
  /** `steps` are numbered, `names` are a list of buttons. */
  kind: 'text' | 'steps' | 'names';
  items: readonly Item[];
}

/** Cards that win a combination, in the order in which its bet looks at them. A combination unknown here has none. */
const WINNING: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  pair: { perfect: ['KH', 'KH'], coloured: ['KH', 'KD'], mixed: ['KH', 'KS'] },
  'dealer-pair': { perfect: ['8C', '8C'], coloured: ['8C', '8S'], mixed: ['8C', '8H'] },
  'three-cards': {
    'suited-trips': ['7S', '7S', '7S'],
    'straight-flush': ['9H', 'TH', 'JH'],
    trips: ['QS', 'QH', 'QD'],
    straight: ['4C', '5D', '6H'],
    flush: ['2D', '8D', 'KD'],
  },
  'two-up': { pair: ['9S', '4H', '9D'], trips: ['8C', '8H', '8S'] },
};

type Reader = ReturnType<typeof reader>;
/** The switches of a sheet by their paths. */
function reader(game: GameResponse) {
  const values = new Map(game.switches.map((one) => [one.path, one.value]));
  return {
    game,
    rules: rulesOf(game),
    has: (path: string): boolean => values.has(path),
    text: (path: string): string => String(values.get(path) ?? ''),
    number: (path: string): number => Number(values.get(path) ?? 0),
    yes: (path: string): boolean => values.get(path) === true,
    list: (path: string): string[] => {
      const value = values.get(path);
      return Array.isArray(value) ? value.map(String) : [];
    },
    total: game.shown_as === 'total-return',
    kind: (kind: string): PayTable | undefined => game.pay_tables.find((one) => one.kind === kind),
  };
}

/** Everything a newcomer needs before the tables of figures, and only what this sheet has (V-95). */
export function lessons(game: GameResponse): Lesson[] {
  const sheet = reader(game);
  const all: (Lesson | null)[] = [
    lesson('goal', 'text', goal(sheet)),
    lesson('values', 'text', values()),
    lesson('turn', 'steps', sheet.rules.duel ? duelTurn(sheet, sheet.rules.duel) : turn(sheet)),
    lesson('buttons', 'names', [...betting(sheet), ...decisions(sheet)]),
    lesson('sides', 'text', sides(sheet)),
    lesson('bonus', 'text', bonus(sheet)),
    lesson('behind', 'text', behind(sheet)),
    lesson('early', 'text', sheet.yes('options.early_decisions') ? [{ texts: [teach('teach.early.text')] }] : []),
    lesson('time', 'text', [{ texts: times(sheet) }]),
    lesson('line', 'text', [{ texts: lost(sheet) }]),
  ];
  return all.filter((one) => one !== null);
}

const lesson = (id: string, kind: Lesson['kind'], items: readonly Item[]): Lesson | null =>
  items.length ? { id, title: teach(`teach.${id}` as TeachKey), kind, items } : null;

const given = (texts: readonly (string | false | undefined)[]): string[] => texts.filter((text) => !!text) as string[];

/** What a natural pays, as this game writes payouts. */
function natural({ game, total }: Reader): string | null {
  const line = game.pay_tables.find((one) => one.kind === 'main')?.lines.find((one) => one.category === 'blackjack');
  if (!line) return null;
  if (!total) return teach('teach.goal.natural', { odds: odds(line.pays) });
  const times = line.returned / line.stake;
  return teach('teach.goal.natural-total', { odds: Number.isInteger(times) ? whole(times) : figure(times, 1) });
}

function goal(sheet: Reader): Item[] {
  const { rules } = sheet;
  if (rules.duel)
    return [
      {
        texts: [teach('teach.goal.duel')],
        hands: [
          { label: teach('teach.you'), cards: ['9S'] },
          { label: teach('teach.table'), cards: ['TD', '4C'] },
        ],
      },
    ];
  const count = sheet.number('charlie');
  return [
    {
      texts: given([
        rules.solo ? teach('teach.goal.solo', { count: rules.boxes }) : teach('teach.goal.live'),
        natural(sheet) ?? undefined,
        teach('teach.goal.bust'),
        count > 0 && teach('teach.goal.charlie', { count }),
      ]),
      hands: [{ label: t('end.blackjack'), cards: ['AS', 'KH'], total: '21' }],
    },
  ];
}

const values = (): Item[] => [
  { texts: [teach('teach.values.numbers')], hands: [{ label: '', cards: ['2S', '7D', 'TC'] }] },
  { texts: [teach('teach.values.courts')], hands: [{ label: '', cards: ['JH', 'QS', 'KD'] }] },
  { texts: [teach('teach.values.ace')], hands: [{ label: '', cards: ['AH'] }] },
  { texts: [teach('teach.values.soft')], hands: [{ label: '', cards: ['AC', '6H'], total: '7/17' }] },
];

function turn(sheet: Reader): Item[] {
  const { rules, game, total } = sheet;
  const limit = game.limits.main;
  const fields = { least: brief(limit?.least ?? 0), most: brief(limit?.most ?? 0) };
  const you = (cards: (string | null)[], sum: string): Hand => ({ label: teach('teach.you'), cards, total: sum });
  const dealer = (cards: (string | null)[], sum?: string): Hand => ({
    label: teach('teach.dealer'),
    cards,
    ...(sum ? { total: sum } : {}),
  });
  const looks = sheet.list('dealer.peek').includes('A');
  const items: Item[] = [
    {
      title: teach('teach.turn.bet'),
      texts: given([
        rules.solo
          ? teach('teach.turn.bet.solo', { ...fields, deal: t(rules.look.deal) })
          : teach('teach.turn.bet.live', { ...fields, count: sheet.number('seats.per_player') }),
        rules.cap > 0 && teach('teach.turn.cap', { amount: brief(rules.cap) }),
      ]),
      chips: game.chips.slice(0, 4),
    },
    {
      title: teach('teach.turn.deal'),
      texts: [teach('teach.turn.deal.text')],
      hands: [you(['9H', '7S'], '16'), dealer(['KD', null], '10')],
    },
  ];
  if (sheet.yes('insurance.offered'))
    items.push({
      title: teach('teach.turn.insurance'),
      texts: given([
        total
          ? teach('teach.turn.insurance.total')
          : teach('teach.turn.insurance.text', { odds: odds(rules.insurance || '2:1') }),
        teach(looks ? 'teach.turn.insurance.peek' : 'teach.turn.insurance.no-peek'),
        sheet.yes('insurance.even_money') && teach('teach.turn.insurance.even'),
      ]),
      hands: [dealer(['AS', null], '11')],
    });
  const ten = sheet.text('dealer_blackjack_takes.ten');
  const blind = !sheet.list('dealer.peek').includes('ten') && !sheet.list('dealer.peek').includes('T');
  items.push(
    {
      title: teach('teach.turn.play'),
      texts: [teach('teach.turn.play.text')],
      hands: [you(['5H', '6C', 'TD'], '21')],
    },
    {
      title: teach('teach.turn.dealer'),
      texts: given([
        teach(sheet.text('dealer.soft_17') === 'hit' ? 'teach.turn.dealer.hit' : 'teach.turn.dealer.stand'),
        blind && ten === 'all' && teach('teach.turn.ten.all'),
        blind && ten === 'original-and-splits' && teach('teach.turn.ten.some'),
      ]),
      hands: [dealer(['KD', '6S', '4H'], '20')],
    },
    {
      title: teach('teach.turn.pay'),
      texts: given([
        teach(total ? 'teach.turn.pay.total' : 'teach.turn.pay.text'),
        rules.maxWin > 0 && teach('teach.turn.max-win', { amount: brief(rules.maxWin) }),
      ]),
    },
  );
  return items;
}

function duelTurn(sheet: Reader, duel: NonNullable<Rules['duel']>): Item[] {
  const { rules, game } = sheet;
  const limit = game.limits.main;
  const common: Hand = { label: teach('teach.table'), cards: ['TD', '4C'] };
  const dealer = (cards: (string | null)[]): Hand => ({ label: teach('teach.dealer'), cards });
  return [
    {
      title: teach('teach.turn.bet'),
      texts: [
        teach('teach.turn.bet.duel', {
          count: rules.boxes,
          least: brief(limit?.least ?? 0),
          most: brief(limit?.most ?? 0),
        }),
      ],
      chips: game.chips.slice(0, 4),
    },
    {
      title: teach('teach.turn.deal'),
      texts: [teach('teach.turn.deal.duel')],
      hands: [{ label: teach('teach.you'), cards: ['9S', null] }, common, dealer([null, null])],
    },
    {
      title: teach('teach.turn.choice'),
      texts: [teach('teach.turn.choice.text')],
      hands: [{ label: t('act.left'), cards: ['9S', 'TD'], total: '19' }],
    },
    {
      title: teach('teach.turn.second'),
      texts: [teach('teach.turn.second.text')],
      hands: [{ label: t('act.hit'), cards: ['9S', 'TD', '2H'], total: '21' }],
    },
    {
      title: teach('teach.turn.dealer'),
      texts: [teach('teach.turn.dealer.duel', { draw: duel.drawTo })],
      list: duel.houseWay.map((one) =>
        one.startsWith('soft ') ? t('duel.soft', { total: one.slice('soft '.length) }) : one,
      ),
    },
    { title: teach('teach.turn.pay'), texts: [teach('teach.turn.pay.duel', { qualify: duel.qualify })] },
  ];
}

function betting(sheet: Reader): Item[] {
  const { rules } = sheet;
  const items: Item[] = [
    { title: teach('teach.button.chips'), texts: [teach('teach.button.chips.text')] },
    { title: t('act.undo'), texts: [teach('teach.button.undo')] },
    { title: t('act.repeat'), texts: [teach('teach.button.repeat')] },
  ];
  if (rules.doubles)
    items.push({ title: teach('teach.button.double-bets'), texts: [teach('teach.button.double-bets.text')] });
  if (sheet.yes('options.deal_now')) items.push({ title: t('act.deal-now'), texts: [teach('teach.button.deal-now')] });
  else if (rules.solo) items.push({ title: t(rules.look.deal), texts: [teach('teach.button.deal')] });
  return items;
}

/** Every decision that the sheet allows. */
function decisions(sheet: Reader): Item[] {
  const { rules } = sheet;
  const act = (name: string, ...texts: (string | false | undefined)[]): Item => ({
    title: named('act', name),
    texts: given(texts),
  });
  const hit = act('hit', teach('teach.button.hit'));
  const stand = act('stand', teach('teach.button.stand'));
  if (rules.duel)
    return [
      act('left', teach('teach.button.left')),
      act('right', teach('teach.button.right')),
      act('fold', teach('teach.button.fold')),
      hit,
      stand,
    ];
  const hands = sheet.number('split.hands');
  const items = [hit, stand];
  if (sheet.has('double.on'))
    items.push(
      act(
        'double',
        teachWord(`teach.button.double.${sheet.text('double.on')}`),
        teach(sheet.yes('double.after_split') ? 'teach.button.double.after' : 'teach.button.double.not-after'),
      ),
    );
  if (hands > 1)
    items.push(
      act(
        'split',
        teachWord(`teach.button.split.${sheet.text('split.equal')}`),
        hands === 2 ? teach('teach.button.split.once') : teach('teach.button.split.more', { count: hands }),
        teachWord(`teach.button.split.${sheet.text('split.aces')}`),
      ),
    );
  if (sheet.has('surrender') && sheet.text('surrender') !== 'none')
    items.push(act('surrender', teach('teach.button.surrender')));
  if (rules.cashes) items.push(act('cash-out', teach('teach.button.cash-out')));
  if (sheet.yes('insurance.offered')) items.push(act('insure', teach('teach.button.insure')));
  if (sheet.yes('insurance.even_money')) items.push(act('even-money', teach('teach.button.even-money')));
  const funds = teachWord(`teach.button.funds.${sheet.text('stakes.missing_funds')}`);
  return funds ? [...items, { texts: [funds] }] : items;
}

function sides(sheet: Reader): Item[] {
  const tables = sheet.game.pay_tables.filter((one) => one.kind !== 'main' && one.kind !== 'insurance');
  const bonusBet = sheet.rules.bonus?.bet;
  const items = tables
    .filter((one) => one.bet !== bonusBet)
    .map((one): Item => ({
      title: betName(one.bet, sheet.rules.names),
      texts: given([
        teachWord(`teach.sides.${one.kind}`),
        one.kind === 'pair' && sheet.rules.pairStands && `${t('switch.pair_requires_stand')}.`,
      ]),
      prizes: one.lines.map((line) => ({
        name: winName(line.category, sheet.rules.names),
        cards: WINNING[one.kind]?.[line.category] ?? [],
        pays: odds(line.pays),
      })),
    }));
  if (bonusBet) items.push({ title: betName(bonusBet, sheet.rules.names), texts: [teach('teach.sides.bonus')] });
  return items.length ? [{ texts: [teach('teach.sides.text')] }, ...items] : [];
}

function bonus(sheet: Reader): Item[] {
  const rules = sheet.rules.bonus;
  if (!rules) return [];
  const { spins } = rules;
  const cash = rules.wheel.map((one) => one.segment).filter((segment) => /^x\d+$/.test(segment));
  return [
    {
      title: teach('teach.bonus.wheel'),
      texts: [
        teach('teach.bonus.wheel.text', {
          prizes: cash.map((segment) => segment.slice(1)).join(', '),
          bet: betName(rules.bet, sheet.rules.names),
        }),
      ],
    },
    ...Object.entries(rules.boards).map(([board, cells]): Item => ({
      title: board.toUpperCase().replaceAll('-', ' '),
      texts: [teach('teach.bonus.board.text', { cells, spins, start: sheet.number(`bonus.boards.${board}.start`) })],
    })),
    {
      title: teach('teach.bonus.boxes'),
      texts: [teach('teach.bonus.boxes.text', { cells: rules.cells })],
      list: rules.prizes.map((one) => `${one.name} × ${whole(one.times)}`),
    },
  ];
}

const BEHIND = ['who', 'plays', 'follow', 'refund'] as const;
function behind(sheet: Reader): Item[] {
  if (!sheet.rules.behind) return [];
  const parts = sheet.number('options.hot_from') > 0 ? ([...BEHIND, 'hot'] as const) : BEHIND;
  return parts.map((part) => ({
    title: teach(`teach.behind.${part}`),
    texts: [teach(`teach.behind.${part}.text`)],
  }));
}

function times(sheet: Reader): string[] {
  const clock = (name: string): number => sheet.number(`clocks.${name}`);
  const total = sheet.number('timeouts.hit_up_to');
  if (!clock('decision'))
    return [
      teach('teach.time.none', { abandoned: duration(clock('abandoned')) }),
      sheet.rules.duel ? teach('teach.time.none.duel') : teach('teach.time.none.close', { total }),
    ];
  const [warned, lostSeat] = [sheet.number('seats.warned_after'), sheet.number('seats.lost_after')];
  return given([
    teach('teach.time.clocks', { betting: duration(clock('betting')), decision: duration(clock('decision')) }),
    teach('teach.time.hit', { total }),
    clock('insurance') > 0 && teach('teach.time.insurance', { insurance: duration(clock('insurance')) }),
    clock('decision_again') > 0 && teach('teach.time.again', { again: duration(clock('decision_again')) }),
    lostSeat > 0 && teach('teach.time.seat', { warned, lost: lostSeat }),
  ]);
}

const lost = (sheet: Reader): string[] =>
  given([
    teach(sheet.rules.solo ? 'teach.line.solo' : 'teach.line.live'),
    sheet.rules.bonus !== null && teach('teach.line.bonus'),
    teach('teach.line.fault'),
  ]);
