import { api } from '../wire/api';

/** The stream that a table's setting names: `studio`, an external address, or nothing. */
export async function findVideo(table: string): Promise<string> {
  try {
    return (await api.lobby()).tables.find((one) => one.table === table)?.video ?? '';
  } catch {
    return '';
  }
}
