/** The text of src/words/fields.ts, from the phrases of a catalogue. */
export function describeFields(phrases: Readonly<Record<string, string>>): string;
