import type { AssistantSettings } from '@parley/contracts';
import type { ClaimChange } from '@parley/event-store';
import { assistantStream } from '../assistant.ts';

type Use = Pick<AssistantSettings, 'type' | 'phone_number_id'>;

/**
 * The changes of claims from one use of a number to the next: a number answers for one inbound assistant at a time,
 * while outbound ones may share it.
 */
export function numberClaims(
  { accountId, id }: { readonly accountId: number; readonly id: number },
  before: Use | null,
  after: Use | null,
): ClaimChange[] {
  const [held, wanted] = [inboundNumber(before), inboundNumber(after)];
  if (held === wanted) return [];
  const change = (op: ClaimChange['op'], number: number | null): ClaimChange[] =>
    number === null
      ? []
      : [{ op, scope: `inbound-number:${accountId}`, key: String(number), owner: assistantStream(id) }];
  return [...change('release', held), ...change('take', wanted)];
}

const inboundNumber = (use: Use | null): number | null =>
  use?.type === 'inbound' ? use.phone_number_id : null;
