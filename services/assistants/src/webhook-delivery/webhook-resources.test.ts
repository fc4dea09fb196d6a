import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { webhookResources } from './webhook-resources.ts';

const resource = (name: string) => {
  const found = webhookResources.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};

test.each([
  ['webhook-delivery', `msg_${'0'.repeat(32)}`, `webhook-delivery-msg_${'0'.repeat(32)}`],
  ['webhook-delivery', 'msg_1', undefined],
  ['webhook-delivery', `msg_${'0'.repeat(33)}`, undefined],
  ['webhook-delivery', `my-msg_${'0'.repeat(32)}`, undefined],
  ['webhook-delivery', '12', undefined],
  ['webhook-backfill', '12:call_ended:3', 'webhook-backfill-12:call_ended:3'],
  ['webhook-backfill', '123:call_ended:1763717400', 'webhook-backfill-123:call_ended:1763717400'],
  ['webhook-backfill', '0:call_ended:3', undefined],
  ['webhook-backfill', 'x12:call_ended:3', undefined],
  ['webhook-backfill', '12:call_ended:3x', undefined],
  ['voice-webhook', '3', 'voice-webhook-3'],
  ['voice-webhook', 'x', undefined],
])('%s/%s is found in its stream, or nowhere', (name, id, stream) =>
  expect(resource(name).streamOf(id)).toBe(stream),
);

const changesOf = (name: string, ...events: readonly string[]) =>
  resource(name).changes(golden<Parameters<typeof recorded>[0]>(...events).map((event) => recorded(event)));

test('a secret is shown by its keys’ names alone', () => {
  const changes = changesOf('webhook-secret', 'WebhookSecretCreated.v1', 'WebhookSecretRotated.v1');
  expect(changes.map(({ shown }) => shown)).toEqual([
    { key_id: expect.any(String), previous: null },
    {
      key_id: expect.any(String),
      previous: { key_id: changes[0]?.shown.key_id, valid_until: expect.any(String) },
    },
  ]);
});

test('of a delivery it is shown what goes on, and whether it is sent once more by a back-fill', () => {
  const events = ['WebhookAttemptStarted.v1', 'WebhookAttemptFailed.v1', 'WebhookReplayRequested.v1'];
  expect(changesOf('webhook-delivery', ...events).map(({ shown }) => shown)).toMatchObject([
    { status: 'pending', under_way: 1, is_replay: false },
    { status: 'pending', under_way: null, is_replay: false },
    { status: 'pending', under_way: null, is_replay: true, redirected_to: 'https://hooks.example/new' },
  ]);
});

test('why a webhook was not taken, or is no longer sent, can be read in its history', () => {
  const events = [
    'WebhookAttemptFailed.v1',
    'WebhookCancelled.v1',
    'WebhookCancelled.v2',
    'WebhookExhausted.v1',
  ];
  expect(changesOf('webhook-delivery', ...events).map(({ summary }) => summary)).toEqual([
    'Attempt 1 failed. There was no answer in time.',
    'The webhook is no longer sent: its endpoint was turned off.',
    'The webhook is no longer sent: the person it is about was erased.',
    'All attempts failed; the webhook is not sent again by itself.',
  ]);
});

test('why the voice webhook was turned off can be read in its history', () =>
  expect(changesOf('voice-webhook', 'VoiceWebhookSet.v1', 'VoiceWebhookDisabled.v1')).toMatchObject([
    { summary: expect.stringMatching(/^Voice events/) },
    { summary: 'The voice webhook was turned off, because its endpoint said that it is gone.' },
  ]));

test('what an event finds missing is shown as nothing before it', () => {
  expect(changesOf('webhook-backfill', 'WebhookBackfillFinished.v1')).toMatchObject([
    { before: {}, after: {}, shown: {} },
  ]);
  expect(changesOf('webhook-backfill', 'WebhookBackfillRequested.v1')).toMatchObject([
    { before: {}, shown: { is_finished: false } },
  ]);
});
