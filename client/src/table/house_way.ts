/** A row of the house way: its total as the sheet writes it, and the two cards that make it (D-10). */
export interface WayRow {
  total: number;
  soft: boolean;
  pairs: readonly string[];
}

const ACE = 11;
const VALUES = [ACE, 10, 9, 8, 7, 6, 5, 4, 3, 2];
const written = (value: number): string => (value === ACE ? 'A' : String(value));

/** The rows of a sheet with their cards: `19` is A-8 and 10-9, `soft 16` is A-5 alone. */
export function houseWayRows(rows: readonly string[]): WayRow[] {
  return rows.map((row) => {
    const soft = row.startsWith('soft ');
    const total = Number(soft ? row.slice('soft '.length) : row);
    return { total, soft, pairs: pairsOf(total, soft, rows) };
  });
}

/** Two aces are 12. A total with an ace has a row of its own where the sheet names one. */
function pairsOf(total: number, soft: boolean, rows: readonly string[]): string[] {
  const aces = soft || !rows.includes(`soft ${total}`);
  return VALUES.flatMap((high, at) =>
    VALUES.slice(at).flatMap((low) => {
      const sum = high + low > 21 ? high + low - 10 : high + low;
      const fits = sum === total && (high === ACE ? aces : !soft);
      return fits ? [`${written(high)}-${written(low)}`] : [];
    }),
  );
}
