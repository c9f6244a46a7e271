import type { BoxShown, SpotShown } from '../parts/table/shown';

const bare = (spot: SpotShown): SpotShown => ({
  ...spot,
  amount: 0,
  state: 'idle',
  won: null,
  reasons: [],
  pending: false,
  limit: false,
});

/**
 * A box in focus mode: one's own as it is; of another only that somebody sits there, nothing of whom or what (V-61).
 */
export const calmed = (box: BoxShown): BoxShown =>
  box.own || box.player === null
    ? { ...box, streak: 0, hottest: false, behind: box.own ? box.behind : null }
    : {
        ...box,
        name: '',
        bot: false,
        streak: 0,
        hottest: false,
        leaving: false,
        hands: [],
        main: bare(box.main),
        sides: [],
        behind: null,
        active: false,
        insurance: null,
      };
