import { type BusClient, connectBusClient } from '@parley/message-bus';
import { loadConfig } from '@parley/process-kit';
import { createEmptyDatabase } from '@parley/testing';
import { type FastifyInstance, fastify } from 'fastify';
import { inject } from 'vitest';
import { sandboxConfig } from './config.ts';
import { credentialsOf } from './credentials.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

/** A webhook as the gateway gets it: exact bytes, because signatures are over bytes. */
interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface TestSandbox {
  readonly url: string;
  /** URL of the test's gateway, which receives the webhooks. */
  readonly gatewayUrl: string;
  readonly received: readonly Received[];
  /** What the gateway answers to webhooks from now on. */
  gatewayAnswers(status: number): void;
  control(path: string, body?: object): Promise<Answer>;
  read(path: string): Promise<Answer>;
  /** Stops the sandbox and starts it again on the same database, as after a crash. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const sandboxDefaults = loadConfig(sandboxConfig, {});

/** A stand-in with a database of its own and a gateway that records what it is sent. */
export async function startTestSandbox(
  options: { readonly natsUrl?: string; readonly silenceMs?: number } = {},
): Promise<TestSandbox> {
  const database = await createEmptyDatabase();
  const bus = await connectBusClient({
    servers: [options.natsUrl ?? inject('natsUrl')],
    name: 'sandbox-test',
  });
  const gateway = await startGateway();
  const start = (port: number) => startOn(database.url, bus, gateway.url, port, options.silenceMs ?? 60_000);
  let sandbox = await start(0);
  const { url } = sandbox;
  return {
    url,
    gatewayUrl: gateway.url,
    received: gateway.received,
    gatewayAnswers: gateway.answers,
    control: (path, body = {}) =>
      ask(`${url}/control/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    read: (path) => ask(`${url}${path}`),
    async restart() {
      await sandbox.close();
      sandbox = await start(Number(new URL(url).port));
    },
    async close() {
      await sandbox.close();
      await gateway.close();
      await bus.close();
      await database.drop();
    },
  };
}

/** Sends a request; the body of the answer is parsed where it is JSON. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

const startOn = (
  databaseUrl: string,
  bus: BusClient,
  gatewayUrl: string,
  port: number,
  silenceMs: number,
): Promise<Sandbox> =>
  startSandbox({
    databaseUrl,
    bus,
    gatewayUrl,
    credentials: credentialsOf(sandboxDefaults),
    host: '127.0.0.1',
    port,
    silenceMs,
    onError: () => undefined,
  });

async function startGateway() {
  const received: Received[] = [];
  let status = 200;
  const app: FastifyInstance = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, next) => next(null, body));
  app.post('/*', async (request, reply) => {
    received.push({ path: request.url, headers: request.headers, body: String(request.body) });
    return reply.code(status).send();
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    received,
    answers: (next: number) => {
      status = next;
    },
    close: () => app.close(),
  };
}
