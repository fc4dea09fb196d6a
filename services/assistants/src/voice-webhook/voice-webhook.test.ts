import type { VoiceWebhookEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { disableVoiceWebhook, setVoiceWebhook } from './set-voice-webhook.ts';
import { voiceWebhook, voiceWebhookStream } from './voice-webhook.ts';

const url = 'https://hooks.example/voice';
const isFine = () => null;
const set = given(voiceWebhook, ...golden<VoiceWebhookEvent>('VoiceWebhookSet.v1'));

test('an account is told nowhere until it says where, and has one such stream', () => {
  expect(given(voiceWebhook)).toEqual({ url: null });
  expect(set).toEqual({ url });
  expect(voiceWebhookStream(3)).toBe('voice-webhook-3');
});

test('a URL is set, and taken away again by null', () => {
  expect(setVoiceWebhook({ url: null }, { url, urlFault: isFine })).toEqual({
    events: [{ type: 'VoiceWebhookSet', data: { url } }],
    reply: { message: 'Voice webhook updated successfully', data: { url } },
  });
  expect(setVoiceWebhook(set, { url: null, urlFault: () => 'is never asked about.' })).toMatchObject({
    events: [{ type: 'VoiceWebhookSet', data: { url: null } }],
    reply: { data: { url: null } },
  });
});

test('what is set already is set without an event', () => {
  expect(setVoiceWebhook(set, { url, urlFault: isFine })).toMatchObject({
    events: [],
    reply: { data: { url } },
  });
});

test('a URL with a fault is refused by its field', () => {
  expect(setVoiceWebhook(set, { url: 'http://10.0.0.1', urlFault: () => 'must be public.' })).toMatchObject({
    code: 'invalid',
    fields: { url: ['The url field must be public.'] },
  });
});

test('a URL that takes no webhooks any more is turned off; one that was set meanwhile stays', () => {
  const disabled = disableVoiceWebhook(set, { url, reason: 'gone' });
  expect(disabled).toEqual({
    events: [{ type: 'VoiceWebhookDisabled', data: { url, reason: 'gone' } }],
    reply: {},
  });
  expect(given({ ...voiceWebhook, initialState: set }, ...disabled.events)).toEqual({ url: null });
  expect(disableVoiceWebhook(set, { url: 'https://hooks.example/old', reason: 'gone' }).events).toEqual([]);
});
