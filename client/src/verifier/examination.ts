import { Unreadable } from './canonical';
import { type Dossier, read } from './shoe_document';
import { type Note, notes } from './notes';
import { known, type Ruled } from './sheet';
import { type Kept, readKept } from './kept';
import { Unproven } from './unproven';
import { type Step, STEPS, type Verdict, verify } from './verify';

/** One document examined: how far it held, and what does not. `skipped` says what could not be looked at. */
export type Mark = 'ok' | 'bad' | 'skipped' | 'unreached';
export interface Examined {
  is: 'holds' | 'fails';
  dossier: Dossier;
  ruled: Ruled;
  marks: Readonly<Record<Step, Mark>>;
  notes: readonly Note[];
  verdict: Verdict | null;
  fault: Unproven | null;
}
export interface Illegible {
  is: 'unreadable';
  at: string;
  what: string;
}

/** What was kept of a shoe, as text: one file each. */
export type Keeping = (dossier: Dossier) => Promise<readonly string[]> | readonly string[];

export async function examined(text: string, key = '', keeping: Keeping = () => []): Promise<Examined | Illegible> {
  const sheets = await known();
  let dossier: Dossier;
  let kept: Kept[];
  try {
    dossier = read(
      text,
      sheets.map(({ sheet }) => sheet.game.id),
    );
    kept = (await keeping(dossier)).map(readKept);
  } catch (fault) {
    if (fault instanceof Unreadable)
      return { is: 'unreadable', at: fault.at, what: fault.message.split(/[: ]/)[0] ?? '' };
    throw fault;
  }
  const ruled =
    sheets.find((one) => one.hash === dossier.commitment.sheet) ??
    sheets.find((one) => one.sheet.game.id === dossier.commitment.game) ??
    sheets[0]!;
  return judge(dossier, ruled, key, kept);
}

async function judge(dossier: Dossier, ruled: Ruled, key: string, kept: readonly Kept[]): Promise<Examined> {
  const passed = new Set<Step>();
  const markSteps = (fault: Unproven | null): Record<Step, Mark> => {
    const bad =
      fault &&
      stepOf(fault, STEPS.find((step) => !passed.has(step) && !(step === 'opening' && !dossier.opening)) ?? 'chain');
    const reached = bad ? STEPS.indexOf(bad) : STEPS.length;
    const mark = (step: Step, i: number): Mark =>
      step === bad
        ? 'bad'
        : i > reached
          ? 'unreached'
          : passed.has(step) || (i < reached && !['opening', 'receipt', 'kept'].includes(step))
            ? 'ok'
            : 'skipped';
    return Object.fromEntries(STEPS.map((step, i) => [step, mark(step, i)])) as Record<Step, Mark>;
  };
  try {
    const verdict = await verify(dossier, ruled, key, (step) => passed.add(step), undefined, kept);
    const told = [
      ...notes(dossier, ruled.sheet),
      ...verdict.compared.flatMap((one) => one.notes.map((kind) => ({ kind, told: {} }))),
    ];
    return { is: 'holds', dossier, ruled, marks: markSteps(null), notes: told, verdict, fault: null };
  } catch (fault) {
    if (!(fault instanceof Unproven)) throw fault;
    return {
      is: 'fails',
      dossier,
      ruled,
      marks: markSteps(fault),
      notes: notes(dossier, ruled.sheet),
      verdict: null,
      fault,
    };
  }
}

/**
 * Hands and payouts are gone through together, hand by hand: the place tells them apart. A receipt's own part is its
 * signature.
 */
function stepOf(fault: Unproven, next: Step): Step {
  if (next === 'rounds' && /\.(bets|scenario)/.test(fault.at)) return 'payouts';
  if (fault.at.startsWith('kept')) return 'kept';
  if (next === 'receipt' && !fault.at.startsWith('receipt')) return 'chain';
  return next;
}
