import { getContext, setContext } from 'svelte';
import type { Reason } from '../../wire/types';

const REFUSED = Symbol('refused');
type Explain = (reasons: readonly Reason[]) => void;

/** What a table does when one of its closed circles is pressed. */
export const explainRefused = (explain: Explain): Explain => setContext(REFUSED, explain);

/** The table's way to say why not; nothing where there is no table. */
export const refusedHere = (): Explain => getContext<Explain | undefined>(REFUSED) ?? (() => undefined);
