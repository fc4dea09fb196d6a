import type { Aggregates, EventMetadata, SqlExecutor } from '@parley/event-store';
import { assistantsWithNumber } from '../../views/assistants/number-assignments.ts';
import { changeAssistant } from '../change-assistant.ts';
import { dropNumber } from './drop-number.ts';

/** A number that an account has no longer. */
export interface GoneNumber {
  readonly accountId: number;
  readonly phoneNumberId: number;
}

/** Takes a number from every assistant of the account that has it; returns how many had it. Harmless to repeat. */
export async function forgetNumber(
  { aggregates, sql }: { readonly aggregates: Aggregates; readonly sql: SqlExecutor },
  gone: GoneNumber,
  metadata: EventMetadata,
): Promise<number> {
  const { accountId, phoneNumberId } = gone;
  const ids = await assistantsWithNumber(sql, accountId, phoneNumberId);
  for (const id of ids)
    await changeAssistant(aggregates, { id, accountId, metadata }, (state) => dropNumber(state, gone));
  return ids.length;
}
