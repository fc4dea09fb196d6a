import { type BusClient, type MessageContext, ServiceUnavailable } from '@parley/message-bus';
import { expect, test } from 'vitest';
import { bindingFault, bindWebhook } from './webhook-binding.ts';

const message: MessageContext = {
  accountId: 3,
  actor: { kind: 'api_key', id: '1' },
  commandId: '0193e2a0-0000-7000-8000-0000000000c1',
  fingerprint: null,
  correlationId: 'request-1',
  expectedVersion: null,
  baseUrl: 'https://parley.example',
  timeoutMs: 1_000,
};
const refusing = (code: string): BusClient => ({
  request: async () => ({ kind: 'rejected', rejection: { code } }),
  async close() {},
});
const asking = (bus: BusClient, allowLoopback = false) => ({ bus, allowLoopback });
const envelope = { bind_webhook: true, assistant_id: 12 };
const url = 'https://parley.example/hooks/automations/token';
const inbound = { type: 'webhook.inbound' } as const;
const binding = { assistantId: 12, url, isHeard: async () => true };

test('an assistant that is not there is a fault of the request', async () => {
  const bus = refusing('not_found');
  const fault = { code: 'invalid_definition', fields: { assistant_id: [expect.any(String)] } };
  expect(await bindingFault(asking(bus), message, envelope, inbound)).toMatchObject(fault);
  expect(await bindWebhook(bus, message, binding)).toMatchObject(fault);
});

test('an address that webhooks must not go to is a fault of the request, before anything is saved', async () => {
  const faultUnder = (baseUrl: string, allowLoopback = false) =>
    bindingFault(asking(refusing('not_found'), allowLoopback), { ...message, baseUrl }, envelope, inbound);
  for (const baseUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://10.0.0.5:3000'])
    expect(await faultUnder(baseUrl)).toMatchObject({
      code: 'invalid_definition',
      fields: {
        bind_webhook: [`Under ${baseUrl} the webhook must not point to a private or reserved address.`],
      },
    });
  // Then it is asked whether the assistant is there.
  expect(await faultUnder('http://127.0.0.1:3000', true)).toMatchObject({
    fields: { assistant_id: [expect.any(String)] },
  });
});

test('a webhook is bound to an assistant: without one there is nothing to bind', async () => {
  const bus = refusing('not_found');
  for (const assistant_id of [undefined, null])
    expect(
      await bindingFault(asking(bus), message, { bind_webhook: true, assistant_id }, inbound),
    ).toMatchObject({ code: 'invalid_definition', fields: { assistant_id: [expect.any(String)] } });
  // All calls come to it as it is.
  expect(
    await bindingFault(asking(bus), message, { bind_webhook: true }, { type: 'call.completed' }),
  ).toBeUndefined();
  expect(await bindingFault(asking(bus), message, { bind_webhook: false }, inbound)).toBeUndefined();
});

test('a trigger that wants a signature cannot have an assistant’s webhook, each of which it would refuse', async () => {
  const trigger = { ...inbound, signature: { connection: 'shop', header: 'x-signature' } };
  expect(await bindingFault(asking(refusing('unavailable')), message, envelope, trigger)).toMatchObject({
    code: 'invalid_definition',
    fields: { bind_webhook: [expect.stringContaining('signature')] },
  });
});

test.each(['unavailable', 'contended'])(
  'a service that says %s tells nothing about the assistant',
  async (code) => {
    const bus = refusing(code);
    await expect(bindingFault(asking(bus), message, envelope, inbound)).rejects.toThrow(ServiceUnavailable);
    await expect(bindWebhook(bus, message, binding)).rejects.toThrow(ServiceUnavailable);
  },
);

test('an automation that is deleted while its address is bound is taken from the assistant again', async () => {
  const asked = async (isHeard: boolean) => {
    const subjects: string[] = [];
    const bus: BusClient = {
      async request({ subject }) {
        subjects.push(subject);
        return { kind: 'ok', body: '{"message":"Done","data":[],"assistants":1}' };
      },
      async close() {},
    };
    expect(await bindWebhook(bus, message, { ...binding, isHeard: async () => isHeard })).toBeUndefined();
    return subjects;
  };
  const bind = 'cmd.assistants.enable-webhook';
  expect(await asked(true)).toEqual([bind]);
  expect(await asked(false)).toEqual([bind, 'cmd.assistants.release-automation-webhook']);
});
