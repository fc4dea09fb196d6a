import type { AssistantEvent } from '@parley/contracts';
import { given } from '@parley/testing';
import { expect, test } from 'vitest';
import { assistant } from '../assistant.ts';
import { allIsWell, leastInput } from '../settings.fixture.ts';
import { settingsOf } from '../settings.ts';
import { disableInboundWebhook, disableWebhook, enableInboundWebhook, enableWebhook } from './webhooks.ts';

const url = 'https://example.com/hook';
const created: AssistantEvent = {
  type: 'AssistantCreated',
  data: { id: 12, uuid: 'u', settings: settingsOf(leastInput) },
};
const on: AssistantEvent = { type: 'WebhookEnabled', data: { webhook_url: url } };
const inboundOn: AssistantEvent = { type: 'InboundWebhookEnabled', data: { inbound_webhook_url: url } };
const off = given(assistant, created);

test('turning a webhook on or off is an event, and none when it is so already', () => {
  expect(enableWebhook(off, url, allIsWell)).toEqual({
    events: [on],
    reply: { message: 'Webhook enabled successfully', data: [] },
  });
  expect(enableWebhook(given(assistant, created, on), url, allIsWell)).toMatchObject({ events: [] });
  expect(disableWebhook(given(assistant, created, on))).toMatchObject({
    events: [{ type: 'WebhookDisabled', data: { webhook_url: null, reason: 'request' } }],
  });
  expect(disableWebhook(off)).toMatchObject({ events: [] });
  expect(enableInboundWebhook(off, url, allIsWell)).toMatchObject({ events: [inboundOn] });
  expect(enableInboundWebhook(given(assistant, created, inboundOn), url, allIsWell)).toMatchObject({
    events: [],
  });
  expect(disableInboundWebhook(given(assistant, created, inboundOn))).toMatchObject({
    events: [{ type: 'InboundWebhookDisabled', data: { reason: 'request' } }],
  });
  expect(disableInboundWebhook(off)).toMatchObject({ events: [] });
});

test('a URL kept for later is forgotten too', () => {
  const kept = given(assistant, created, {
    type: 'AssistantSettingsChanged',
    data: { changed: { webhook_url: url } },
  });
  expect(disableWebhook(kept)).toMatchObject({ events: [{ type: 'WebhookDisabled' }] });
});

test('a URL that must not be called is refused with its reason', () => {
  const facts = { urlFault: () => 'must be a valid URL.' };
  const fault = { code: 'invalid', fields: { webhook_url: ['The webhook url field must be a valid URL.'] } };
  expect(enableWebhook(off, 'x', facts)).toEqual(fault);
  expect(enableInboundWebhook(off, 'x', facts)).toEqual(fault);
});

test('an assistant that is not there has no webhooks', () => {
  const gone = given(assistant, created, { type: 'AssistantDeleted', data: { deleted_at: 'now' } });
  for (const state of [null, gone]) {
    const outcomes = [
      enableWebhook(state, url, allIsWell),
      disableWebhook(state),
      enableInboundWebhook(state, url, allIsWell),
      disableInboundWebhook(state),
    ];
    for (const outcome of outcomes) expect(outcome).toEqual({ code: 'not_found' });
  }
});
