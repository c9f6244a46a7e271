import type { BoxShown } from '../parts/table/shown';
import type { Shown } from './faces';

/** What the layouts of a table can ask of the panel that holds them. */
export interface Doings {
  /** The boxes as they are drawn: without the others where one wants calm (V-61). */
  boxes: readonly BoxShown[];
  /** Whether free seats can be taken here. */
  seats: boolean;
  sit: (box: number) => void;
  stand: (box: number) => void;
  place: (box: number, bet: string, event: MouseEvent) => void;
  behind: (box: number) => void;
  seal: () => void;
  sums: () => void;
  limits: () => void;
  bring: () => void;
  act: (face: Shown) => void;
  refused: (reasons: readonly string[]) => void;
}
