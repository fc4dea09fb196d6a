import { Aggregates, Contended, createInMemoryEventStore } from '@parley/event-store';
import { expect, test } from 'vitest';
import { messagingConfig } from '../config.ts';
import { sender } from '../message/send.fixture.ts';
import { CustomerEvents } from './customer-events.ts';
import { contact } from './permission.fixture.ts';

test('what a customer answers while others write the permission without pause is to be told again', async () => {
  const store = createInMemoryEventStore();
  const clock = { now: () => store.now() };
  const aggregates = new Aggregates(store, { racingMs: 0 });
  const events = new CustomerEvents(aggregates, clock, messagingConfig.parse({ SANDBOX: 'true' }), store);
  store.append = async () => ({ kind: 'conflict', actualVersion: 1 });
  const accepted = {
    type: 'call_permission_replied',
    id: 'e1',
    phone_number_id: sender.phoneNumberId,
    contact: contact.phone,
    at: '2026-11-21T10:00:00.000Z',
    message_id: 'm1',
    response: 'accept',
    is_permanent: true,
    expires_at: null,
    request_message_id: null,
  } as const;
  const commandId = '0193e2a0-0000-7000-8000-00000000000e';
  const actor = { kind: 'provider', id: 'whatsapp' } as const;
  const cause = {
    metadata: { correlationId: 'callback-1', causationId: 'e1', commandId, actor },
    command: { commandId, fingerprint: null },
  };
  await expect(events.handle(accepted, sender, cause)).rejects.toThrow(Contended);
});
