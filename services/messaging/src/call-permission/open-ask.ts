import { type Aggregates, findClaimOwner, type SqlExecutor } from '@parley/event-store';
import { askScope } from './asking.ts';
import { type Ask, callPermission } from './call-permission.ts';

/**
 * The ask that a command has begun and that has no final answer yet, to whichever contact; undefined when there is
 * none.
 */
export async function findOpenAsk(
  aggregates: Aggregates,
  sql: SqlExecutor,
  commandId: string,
): Promise<Ask | undefined> {
  const owner = await findClaimOwner(sql, askScope, commandId);
  if (owner === undefined) return undefined;
  const { state } = await aggregates.load(owner, callPermission);
  return [...state.asks, ...state.failedAsks].find(({ id }) => id === commandId);
}
