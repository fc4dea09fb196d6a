import type { AssistantEvent, WebhookEndpoint } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { isOutage } from '@parley/processing';
import { golden, testMetadata as metadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { Endpoints } from './endpoints.ts';

const [created] = golden<AssistantEvent & { type: 'AssistantCreated' }>('AssistantCreated.v1');
const url = created?.data.settings.webhook_url ?? '';

test.each<WebhookEndpoint>([
  { event: 'chatapp_voice', assistant_id: null, url },
  { event: 'post_call', assistant_id: 12, url },
])('turning off $event waits for settings that others write without pause', async (endpoint) => {
  const store = createInMemoryEventStore();
  const about = { accountId: 7, expectedVersion: 0, metadata };
  if (created)
    await store.append({ ...about, streamId: 'assistant-12', category: 'assistant', events: [created] });
  store.append = async () => ({ kind: 'conflict', actualVersion: 1 });
  const endpoints = new Endpoints(new Aggregates(store, { racingMs: 0 }));
  const turnedOff = endpoints.turnOff({ accountId: 7, endpoint, fault: 'gone', metadata, commandId: 'once' });
  expect(await turnedOff.catch(isOutage)).toBe(true);
});
