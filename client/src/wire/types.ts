/**
 * The vocabulary of the wire by name. The shapes are the house's own (`schema.ts`, generated): amounts are integer
 * cents, times are milliseconds since 1970 in the house's clock, cards are two characters.
 */
import type { Ask, Step } from './schema';

export type * from './schema';

/** What is asked of a table. */
export type Doing = Ask['command'];
/** `[path, value]` sets what lies at a path, `[path]` takes it away. */
export type Change = Step['public'][number];
export type Path = Change[0];
