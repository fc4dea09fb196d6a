import type { SmsUndeliverableEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountId, followingWorld } from './follow-outcomes.fixture.ts';
import { followSms } from './follow-sms.ts';

test('an SMS that its carrier did not send gives its lead back, and one that no campaign sent is no news', async () => {
  const { begin, happened, hear, lead, reactor } = followingWorld(followSms);
  await begin();
  await happened('LeadCreated.v1', 'LeadQueued.v1');
  const [undeliverable] = golden<SmsUndeliverableEvent>('SmsUndeliverable.v2');
  if (!undeliverable) throw new Error('The golden file holds it.');
  expect(reactor.handles).toContain(undeliverable.type);
  const event = recorded(undeliverable, { accountId });
  expect(await hear({ ...event, data: { ...undeliverable.data, lead_id: null } })).toBeUndefined();
  expect(await lead()).toMatchObject({ attempt: { number: 2 } });
  await hear(event);
  expect(await lead()).toMatchObject({ status: 'queued', attempt: null, next: { isHeldUp: true } });
});
