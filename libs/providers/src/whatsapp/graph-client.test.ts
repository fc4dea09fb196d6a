import { expect, test } from 'vitest';
import type { OutgoingMessage } from '../chat-platform.ts';
import { answerJson, graphServer } from './graph-server.fixture.ts';

const from = { phoneNumberId: '106540352242922', accountId: '102290129340398' };
const hello: OutgoingMessage = {
  to: '+491711234567',
  reference: 'message-12',
  content: { type: 'text', body: 'Hello' },
};

test('while the platform is slow, a message that waited for its turn and never left has certainly not been sent', async () => {
  const { whatsApp, asked } = await graphServer(() => undefined, {
    turnTimeoutMs: 100,
    sendTimeoutMs: 1_000,
  });
  const sent = await Promise.all(Array.from({ length: 100 }, () => whatsApp.send(from, hello)));
  const unknown = sent.filter(({ kind }) => kind === 'unknown');
  expect(unknown).toHaveLength(asked.length);
  expect(sent.filter(({ kind }) => kind === 'unavailable')).toHaveLength(100 - unknown.length);
});

test('with the messages of one number, which are answered slowly, those of others go out', async () => {
  const other = { ...from, phoneNumberId: '206540352242922' };
  const { whatsApp } = await graphServer(
    (response, { path }) => {
      if (path.includes(other.phoneNumberId)) answerJson(response, 200, { messages: [{ id: 'wamid.2' }] });
    },
    { turnTimeoutMs: 1_000, sendTimeoutMs: 1_000 },
  );
  const slow = Array.from({ length: 100 }, () => whatsApp.send(from, hello));
  expect(await whatsApp.send(other, hello)).toMatchObject({ kind: 'ok' });
  await Promise.all(slow);
});
