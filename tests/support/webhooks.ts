import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueWebhook } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import { eventually } from '@parley/testing';
import { ask, sharedBus } from './accounts.ts';
import type { Api } from './api.ts';

interface ReceivedRequest {
  /** The webhook's. */
  readonly id: string;
  /** When it had come, by the monotonic clock. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isAccepted: boolean;
}

/** A customer's server on loopback, and what it got. */
export interface WebhookReceiver {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/**
 * Answers `status`, after `delayMs` and once `held` allows it; a share of the webhooks (0 to 1, every nth) it refuses
 * when they come first.
 */
export async function startWebhookReceiver({
  delayMs = 0,
  held = async (): Promise<void> => undefined,
  refusesShare = 0,
  status = 200,
} = {}): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const id = String(headers['webhook-id']);
    const isTurn = refusesShare > 0 && (requests.length + 1) % Math.round(1 / refusesShare) === 0;
    const isAccepted = !isTurn || requests.some((earlier) => earlier.id === id);
    requests.push({ id, at: performance.now(), headers, body, isAccepted });
    await sleep(delayMs);
    await held();
    response.writeHead(isAccepted ? status : 503).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The received requests, one for each id: a webhook whose answer came late is sent again. */
export const arrivalsAt = ({ requests }: WebhookReceiver): readonly ReceivedRequest[] => [
  ...new Map(requests.map((request) => [request.id, request])).values(),
];

/**
 * Queues an event for the account's voice webhook; resolves with the id of its delivery, which is the same for the
 * same event.
 */
export async function queueVoiceEvent(
  bus: BusClient,
  accountId: number,
  eventId: string = randomUUID(),
  timeoutMs?: number,
): Promise<string> {
  const input = {
    account_id: accountId,
    event: 'chatapp_voice',
    event_id: eventId,
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
  } as const;
  const { delivery_id } = await ask(bus, queueWebhook, input, timeoutMs);
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
