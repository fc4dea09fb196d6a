import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePort } from '@parley/embedded-servers';
import { createEmptyDatabase, eventually } from '@parley/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ask, sandboxDefaults } from './sandbox.fixture.ts';

let server: Awaited<ReturnType<typeof createEmptyDatabase>>;
let port: number;
let child: ChildProcess | null = null;

beforeAll(async () => {
  server = await createEmptyDatabase();
  port = await findFreePort();
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await server.drop();
});

/** The process as `parley up` starts it, from the sources. */
async function start(): Promise<ChildProcess> {
  const started = fork(join(import.meta.dirname, 'main.ts'), {
    execArgv: ['--conditions=source'],
    env: {
      DATABASE_URL: server.url,
      SANDBOX_DATABASE: new URL(server.url).pathname.slice(1),
      NATS_URL: inject('natsUrl'),
      SANDBOX_PORT: String(port),
      LOG_LEVEL: 'error',
    },
    silent: true,
  });
  const [message] = await once(started, 'message');
  expect(message).toEqual({ type: 'ready' });
  return started;
}

const complete = (content: string) =>
  ask(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandboxDefaults.OPENAI_API_KEY.reveal()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content }] }),
  });

const log = async (): Promise<readonly { body: { messages: { content: string }[] } }[]> => {
  const { body } = await ask(`http://127.0.0.1:${port}/control/requests?provider=llm`);
  return JSON.parse(JSON.stringify(body)).data;
};

test('what was answered before a kill -9 is in the log after the next start', async () => {
  child = await start();
  const answered: string[] = [];
  const caller = async (name: string) => {
    for (let count = 0; ; count += 1) {
      const content = `${name} ${count}`;
      const answer = await complete(content).catch(() => null);
      if (!answer) return;
      answered.push(content);
    }
  };
  const callers = ['a', 'b', 'c', 'd'].map(caller);
  await eventually(() => expect(answered.length).toBeGreaterThan(50));
  child.kill('SIGKILL');
  await Promise.all(callers);
  child = await start();
  const logged = new Set((await log()).map(({ body }) => body.messages[0]?.content));
  for (const content of answered) expect(logged).toContain(content);
});

test('the process ends when its parent goes away', async () => {
  const running = child;
  if (!running) throw new Error('Nothing was started.');
  const exited = once(running, 'exit');
  running.disconnect();
  expect(await exited).toEqual([0, null]);
  child = null;
});
