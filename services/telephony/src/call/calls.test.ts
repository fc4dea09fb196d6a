import { reject } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import type { AccountBalance } from '@parley/service-kit';
import { expect, test } from 'vitest';
import { CallLog } from './call-log.ts';
import { type CallParts, Calls, type WantedCall } from './calls.ts';

const wanted: WantedCall = {
  accountId: 3,
  channel: 'phone',
  assistant_id: 12,
  customer_phone: '+447700900001',
  assistant_phone: '+442079460001',
  phone_number_id: 7,
  sender_id: null,
  lead_id: 5,
  campaign_id: 4,
  input_variables: {},
  max_duration_s: 600,
};
const cause = {
  metadata: {
    correlationId: 'request-1',
    causationId: 'command-1',
    commandId: null,
    actor: { kind: 'system', id: 'test' },
  },
  command: null,
} as const;

test('a call whose reservation was given back before it was made may be asked for again', async () => {
  const store = createInMemoryEventStore();
  const balance: Partial<AccountBalance> = { reserve: async () => reject('hold_settled') };
  const parts: Partial<CallParts> = {
    balance: balance as AccountBalance,
    clock: { now: () => store.now() },
    ids: { next: async () => 7 },
    log: new CallLog(new Aggregates(store)),
    minutePriceMicros: 50_000,
  };
  const placed = new Calls(parts as CallParts).place(
    cause,
    async () => wanted,
    () => ({}),
  );
  expect(await placed).toMatchObject({
    kind: 'rejected',
    rejection: { code: 'unavailable', retryAfterSeconds: 1 },
  });
});
