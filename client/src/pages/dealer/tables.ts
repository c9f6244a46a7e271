import { call } from '../../wire/api';
import type { MeResponse, StudioResponse } from '../../wire/types';

/** The tables at which somebody may deal, and who has the desk of each. */
export const listStudioTables = async (): Promise<StudioResponse['tables']> =>
  (await call<StudioResponse>('GET', '/api/studio')).tables;

/** Whether somebody may deal: the role is needed, and a second factor. */
export function mayDeal(me: MeResponse | null): 'yes' | 'role' | 'factor' {
  if (!me || !['dealer', 'supervisor'].includes(me.role)) return 'role';
  return me.second_factor ? 'yes' : 'factor';
}
