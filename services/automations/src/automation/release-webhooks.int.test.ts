import type { AutomationDefinition, AutomationEvent } from '@parley/contracts';
import { type BusReply, type BusRequest, ServiceUnavailable } from '@parley/message-bus';
import { startReactors } from '@parley/processing';
import { createTestStore, eventually, testMetadata } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationsView } from '../views/automations-view.ts';
import { automation, automationCategory, automationStream } from './automation.ts';
import { createAutomation, deleteAutomation, updateAutomation } from './change-automation.ts';
import { releaseWebhooks } from './release-webhooks.ts';

const triggeredBy = (type: 'webhook.inbound' | 'lead.created'): AutomationDefinition => ({
  trigger: { type },
  steps: [{ id: 'end', type: 'stop' }],
});
const now = new Date('2026-11-23T12:00:00Z');
const tokenHash = 'a'.repeat(64);
const change = { tokenHash: null, now };
type State = typeof automation.initialState;

/** What assistants are asked because of the last event of an automation that began with a webhook. */
async function asked(
  then: (state: State) => ReturnType<typeof updateAutomation | typeof deleteAutomation>,
  answer: BusReply = { kind: 'ok', body: '{"assistants":1}' },
): Promise<readonly BusRequest[]> {
  const store = await createTestStore([automationsView]);
  onTestFinished(() => store.close());
  const definition = triggeredBy('webhook.inbound');
  const { events } = createAutomation(null, { id: 4, name: 'Calls', definition, tokenHash, now });
  const decision = then(events.reduce(automation.evolve, null));
  if ('code' in decision) throw new Error(decision.code);
  const streamId = automationStream(4);
  const all: readonly AutomationEvent[] = [...events, ...decision.events];
  const about = { category: automationCategory, accountId: 7, expectedVersion: 0, metadata: testMetadata };
  await store.append({ streamId, ...about, events: all });
  const event = (await store.readStream(streamId)).at(-1);
  if (!event) throw new Error('Nothing was appended.');
  const requests: BusRequest[] = [];
  const bus = {
    async request(request: BusRequest) {
      requests.push(request);
      return answer;
    },
    close: async () => undefined,
  };
  const metadata = { ...testMetadata, causationId: event.eventId };
  const context = { store, metadata, attempt: 1, effectId: () => '', signal: AbortSignal.timeout(60_000) };
  await releaseWebhooks(bus, store.pool).react(event, context);
  return requests;
}

const released = {
  subject: 'cmd.assistants.release-automation-webhook',
  payload: JSON.stringify({ token_hash: tokenHash }),
  context: { accountId: 7, correlationId: testMetadata.correlationId, causationId: expect.any(String) },
};
const to = (type: Parameters<typeof triggeredBy>[0]) => (state: State) =>
  updateAutomation(state, { ...change, name: 'Other', definition: triggeredBy(type) });

test('a deleted automation, and one that has another trigger by now, is taken from the assistants', async () => {
  expect(await asked((state) => deleteAutomation(state, now))).toMatchObject([released]);
  expect(await asked(to('lead.created'))).toMatchObject([released]);
});

test('an automation that wants a signature by now, which no assistant has, is taken from them', async () => {
  const signed: AutomationDefinition = {
    ...triggeredBy('webhook.inbound'),
    trigger: { type: 'webhook.inbound', signature: { connection: 'shop', header: 'X-Signature' } },
  };
  expect(await asked((state) => updateAutomation(state, { ...change, definition: signed }))).toMatchObject([
    released,
  ]);
});

test('an automation that still hears of its webhook keeps what is bound to it', async () => {
  const otherSteps = { ...triggeredBy('webhook.inbound'), settings: { max_concurrent_runs: 1 } };
  expect(await asked((state) => updateAutomation(state, { ...change, definition: otherSteps }))).toEqual([]);
});

test('assistants that cannot say now are asked again until they can', async () => {
  const contended: BusReply = { kind: 'rejected', rejection: { code: 'contended' } };
  await expect(asked((state) => deleteAutomation(state, now), contended)).rejects.toThrow(ServiceUnavailable);
});

test('an account whose assistants cannot say holds up no other', async () => {
  const store = await createTestStore([automationsView]);
  onTestFinished(() => store.close());
  const definition = triggeredBy('webhook.inbound');
  for (const [id, accountId] of [
    [4, 7],
    [5, 8],
  ] as const) {
    const change = { id, name: 'Calls', definition, tokenHash: String(id).repeat(64), now };
    const { events } = createAutomation(null, change);
    const deletion = deleteAutomation(events.reduce(automation.evolve, null), now);
    if ('code' in deletion) throw new Error(deletion.code);
    const about = { category: automationCategory, accountId, expectedVersion: 0, metadata: testMetadata };
    const all: readonly AutomationEvent[] = [...events, ...deletion.events];
    await store.append({ streamId: automationStream(id), ...about, events: all });
  }
  const answered: (number | null)[] = [];
  const bus = {
    async request({ context: { accountId } }: BusRequest): Promise<BusReply> {
      if (accountId === 7) return { kind: 'rejected', rejection: { code: 'internal' } };
      answered.push(accountId);
      return { kind: 'ok', body: '{"assistants":1}' };
    },
    close: async () => undefined,
  };
  const reactors = [releaseWebhooks(bus, store.pool)];
  const running = startReactors({ store, pool: store.pool, reactors });
  onTestFinished(() => running.close());
  // More than once where the reactor began anew meanwhile.
  await eventually(() => expect(answered).toContain(8));
});
