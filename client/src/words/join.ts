/** A long sentence in two halves. Unlike `+`, it keeps the literal type, from which `t` knows the sentence's fields. */
export const join = <A extends string, B extends string>(start: A, end: B) => `${start} ${end}` as const;
