import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { reportFigure } from '../support/figures.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { isNightly } from '../support/tier.ts';

const rounds = isNightly ? 20 : 1;
const copies = { gateway: 2, accounts: 2, assistants: 2, messaging: 2, telephony: 2 };
const requestsPerSecond = 200;
const clients = 20;
const pauseMs = (1000 * clients) / requestsPerSecond;

let stack: RunningStack;

beforeAll(async () => {
  stack = await startOwnStack({ copies });
});

afterAll(async () => {
  await stack?.stop();
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly isLast: boolean;
}

/**
 * One request as a client that keeps its connections makes it. What it sends along comes a while after its headers: at any
 * moment each gateway is in the middle of requests.
 */
const call = (agent: Agent, url: string, key: string, name?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = name === undefined ? undefined : JSON.stringify({ name });
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    };
    const asked = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' });
    asked.on('error', reject).on('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      text(response).then(
        (content) => resolve({ status, body: content, isLast: answered.connection === 'close' }),
        reject,
      );
    });
    asked.flushHeaders();
    setTimeout(() => asked.end(body), body === undefined ? 0 : pauseMs);
  });

/** Takes the gateway that did not say goodbye last, and the other one where nobody listens. */
class Client {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #key: string;
  #gateway: number;

  constructor(key: string, gateway: number) {
    this.#key = key;
    this.#gateway = gateway;
  }

  async send(path: string, name?: string): Promise<Answer> {
    for (let refusals = 0; ; refusals += 1)
      try {
        const answer = await call(this.#agent, `${stack.gatewayUrls[this.#gateway]}${path}`, this.#key, name);
        if (answer.isLast) this.#gateway = 1 - this.#gateway;
        return answer;
      } catch (error) {
        // Nothing was sent: nobody listens there any more, or not yet.
        if (Object(error).syscall !== 'connect' || refusals > 1) throw error;
        this.#gateway = 1 - this.#gateway;
      }
  }

  close(): void {
    this.#agent.destroy();
  }
}

test('restarting one process after the other under load fails no request', async () => {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const { key } = await registerTestAccount(bus);
  await bus.close();
  // On a busy machine a process may have been started twice until the stack was up.
  const { length: saidBefore } = stack.output();
  const failures: string[] = [];
  let answered = 0;
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const client = new Client(key, index % 2);
      for (let n = 0; !isOver; n += 1) {
        const pause = new Promise((resolve) => setTimeout(resolve, pauseMs));
        // Of the clients of a gateway every other one is creating, while the others read.
        const name = (n + Math.floor(index / 2)) % 2 === 0 ? `Folder ${index}-${n}` : undefined;
        const path = name === undefined ? '/api/user/folders?per_page=1' : '/api/user/folder';
        try {
          const { status, body } = await client.send(path, name);
          if (status !== (name === undefined ? 200 : 201)) failures.push(`${status} ${body}`);
        } catch (error) {
          failures.push(String(error));
        }
        answered += 1;
        await pause;
      }
      client.close();
    }),
  );
  const names = Object.keys(copies).flatMap((name) => (isNightly ? [name, `${name}-2`] : [name]));
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) {
      // The load is under way, also at a gateway that has just come back.
      const enough = answered + 2 * clients;
      await eventually(() => expect(answered).toBeGreaterThan(enough));
      const leaving = await stack.signal(name, 'SIGTERM');
      await eventually(() => expect(stack.pidOf(name)).not.toBe(leaving));
    }
  isOver = true;
  await load;
  reportFigure(
    'L7',
    `${rounds} rounds over ${names.length} processes: ${answered} requests, ${failures.length} failed`,
  );
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(names.length * rounds);
  const ends =
    stack
      .output()
      .slice(saidBefore)
      .match(/ended [^\n;,.]*/g) ?? [];
  expect(ends).toEqual(Array(names.length * rounds).fill('ended with status 0'));
  expect(stack.output()).not.toMatch(/unhandled/i);
}, 3_600_000);
