import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { control } from '../support/chat-platform.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhooks.ts';
import { type Pair, type Place, sharedPlace, voicePair } from './voice-stack.ts';

let place: Place;
beforeAll(() => {
  place = sharedPlace();
});

interface Told {
  readonly event_id: string;
  readonly sequence: number;
  readonly occurred_at: string;
}

/** What the account's server was told, in order, without the copies that a delivery may make. */
const toldTo = ({ requests }: WebhookReceiver): Told[] =>
  [...new Map(requests.map(({ id, body }) => [id, JSON.parse(body) as Told])).values()].sort(
    (a, b) => a.sequence - b.sequence,
  );

/** A customer who has written, of an account whose server listens while `work` is done; resolves with what it was told. */
async function tellingOf(count: number, work: (pair: Pair) => Promise<void>): Promise<[Pair, Told[]]> {
  const receiver = await startWebhookReceiver();
  try {
    const pair = await voicePair(place);
    const set = await pair.api.put('/api/user/voice-webhook', { url: receiver.url });
    expect(set.status, set.text).toBe(200);
    await pair.write();
    await work(pair);
    const told = await eventually(async () => {
      const sofar = toldTo(receiver);
      if (sofar.length < count) throw new Error(`${sofar.length} webhooks of ${count} have arrived.`);
      return sofar;
    });
    expect(told.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    expect(new Set(told.map(({ event_id }) => event_id)).size).toBe(count);
    return [pair, told];
  } finally {
    await receiver.close();
  }
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Every field that decisions, section 5 lists, and no other. */
const webhook = ({ sender, customer }: Pair, sequence: number, fields: object) => ({
  event: 'chatapp_voice',
  event_id: expect.stringMatching(uuid),
  sequence,
  occurred_at: expect.stringMatching(instant),
  sender_id: sender.id,
  customer_phone: customer,
  conversation_id: expect.stringMatching(uuid),
  ...fields,
});
const requested = {
  type: 'call_permission_requested',
  status: 'pending',
  expires_at: null,
  can_call: false,
};

describe('the voice webhook has exactly its documented fields', () => {
  test('for an ask, a permission for a while, a connected call and a revocation', async () => {
    let expires_at: string | null = null;
    let conversation_id: string | null = null;
    const [pair, told] = await tellingOf(4, async ({ asked, customer, permission, reply, sender }) => {
      await asked();
      await reply('accept');
      ({ expires_at, conversation_id } = await permission());
      const inbound = { direction: 'inbound', to: sender.phone, from: customer };
      await control('calls', { ...inbound, outcome: 'completed', duration_s: 3 }, place.sandboxUrl);
      await eventually(async () => expect((await permission()).limits[0]?.used).toBe(0));
      await reply('revoke');
    });
    expect(expires_at).toMatch(instant);
    expect(told).toEqual(
      [
        requested,
        { type: 'call_permission_granted', status: 'granted', expires_at, can_call: true },
        { type: 'voice_call', status: 'completed', expires_at, can_call: true },
        { type: 'call_permission_denied', status: 'revoked', expires_at: null, can_call: false },
      ].map((fields, n) => webhook(pair, n + 1, { ...fields, conversation_id })),
    );
  });

  test('for an ask and its refusal', async () => {
    const [pair, told] = await tellingOf(2, async ({ asked, reply }) => {
      await asked();
      await reply('reject');
    });
    const denied = { type: 'call_permission_denied', status: 'rejected', expires_at: null, can_call: false };
    expect(told).toEqual([requested, denied].map((fields, n) => webhook(pair, n + 1, fields)));
  });

  test('for a permission for good, which has no end', async () => {
    const [pair, told] = await tellingOf(2, async ({ asked, reply }) => {
      await asked();
      await reply('accept', true);
    });
    const granted = { type: 'call_permission_granted', status: 'granted', expires_at: null, can_call: true };
    expect(told).toEqual([requested, granted].map((fields, n) => webhook(pair, n + 1, fields)));
  });

  test('for a call that the customer did not answer, without a permission', async () => {
    const [pair, told] = await tellingOf(1, async ({ customer, sender }) => {
      const inbound = { direction: 'inbound', to: sender.phone, from: customer };
      await control('calls', { ...inbound, outcome: 'no-answer' }, place.sandboxUrl);
    });
    const missed = { type: 'voice_call', status: 'no_answer', expires_at: null, can_call: false };
    expect(told).toEqual([webhook(pair, 1, missed)]);
  });
});
