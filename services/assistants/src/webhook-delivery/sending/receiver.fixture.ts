import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

/** A webhook as it came: what the socket carried, nothing parsed. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Answer = (webhook: ReceivedWebhook, response: ServerResponse) => void;

/** A customer's server, on loopback. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** Requests that were open at the same time, at most. */
  readonly mostOpen: number;
  answer: Answer;
  close(): Promise<void>;
}

export const withStatus =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end();
  };

/** Asked again in half an hour: with the five seconds of the schedule a busy machine might not see it wait. */
export const busy = withStatus(503, { 'retry-after': '1800' });

export async function startReceiver(answer: Answer = withStatus(200)): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const webhook = {
      id: String(request.headers['webhook-id']),
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    received.push(webhook);
    receiver.answer(webhook, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    get mostOpen() {
      return mostOpen;
    },
    answer,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** One that the test has to itself. */
export async function receiver(answer?: Answer): Promise<Receiver> {
  const started = await startReceiver(answer);
  onTestFinished(() => started.close());
  return started;
}

export const verify = (secret: string, { headers, body }: ReceivedWebhook, change: object = {}) =>
  new Webhook(secret).verify(body, { ...(headers as Record<string, string>), ...change });
