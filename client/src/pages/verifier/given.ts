/** A document as text, and the name of the file it came in. */
export interface Given {
  text: string;
  file: string;
}
/** Examines documents one by one and against each other. */
export type Examine = (given: readonly Given[]) => Promise<void>;
