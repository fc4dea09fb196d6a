import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { queueWebhook } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import { eventually } from '@parley/testing';
import { ask, sharedBus } from './accounts.ts';
import type { Api } from './api.ts';

/** A customer's server on loopback: it answers 200 and keeps what came, by webhook id. */
export interface WebhookReceiver {
  readonly url: string;
  readonly ids: readonly string[];
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']));
    request.resume();
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ids,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Something for the account's voice webhook; the delivery's id. */
export async function queueVoiceEvent(bus: BusClient, accountId: number): Promise<string> {
  const { delivery_id } = await ask(bus, queueWebhook, {
    account_id: accountId,
    event: 'chatapp_voice',
    event_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    fields: {
      type: 'voice_call',
      sender_id: 7,
      customer_phone: '+4930901820',
      conversation_id: null,
      status: 'completed',
      expires_at: null,
      can_call: true,
    },
  });
  if (delivery_id === null) throw new Error('The voice webhook is off.');
  return delivery_id;
}

/** A delivery of the account that has arrived, so that nothing more happens to it by itself. */
export async function ownDelivery(api: Api): Promise<string> {
  const receiver = await startWebhookReceiver();
  const me = (await api.get('/api/user/me')).body as { id: number };
  await api.put('/api/user/voice-webhook', { url: receiver.url });
  const id = await queueVoiceEvent(await sharedBus(), me.id);
  await eventually(async () => {
    const { text } = await api.get('/api/user/webhook-deliveries?status=delivered');
    if (!text.includes(id)) throw new Error(`${id} has not arrived.`);
  });
  await receiver.close();
  return id;
}
