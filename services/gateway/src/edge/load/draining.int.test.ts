import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { startTestGateway } from '../../gateway.fixture.ts';
import { startPlatform } from '../../platform.fixture.ts';

const platform = await startPlatform();

/** Requests over kept connections, as a client that follows `Connection: close` makes them. */
function call(agent: Agent, url: string): Promise<{ status: number; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${platform.key}` };
    request(`${url}/api/user/folders`, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test('a gateway that leaves fails no request: clients hear of it and go to another one', async () => {
  const gateways = await Promise.all([
    startTestGateway({ natsUrl: platform.bus.url, drainMs: 60_000 }),
    startTestGateway({ natsUrl: platform.bus.url, drainMs: 60_000 }),
  ]);
  const leaving = new Set<string>();
  const urls = gateways.map(({ url }) => url);
  const statuses: number[] = [];
  let isOver = false;
  const client = async () => {
    const agent = new Agent({ keepAlive: true });
    while (!isOver) {
      const url = urls.find((candidate) => !leaving.has(candidate)) ?? '';
      const { status, connection } = await call(agent, url);
      statuses.push(status);
      if (connection === 'close') leaving.add(url);
      await sleep(20);
    }
    agent.destroy();
  };
  const clients = Promise.all(Array.from({ length: 8 }, client));
  const moreAnswers = (count: number) => {
    const enough = statuses.length + count;
    return eventually(() => expect(statuses.length).toBeGreaterThan(enough));
  };
  await moreAnswers(50);
  await gateways[0]?.close();
  // What the gateway has sent last is on its way still: its clients live in this process.
  await eventually(() => expect([...leaving]).toEqual([urls[0]]));
  await moreAnswers(50);
  isOver = true;
  await clients;
  await gateways[1]?.close();
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test.each([
  ['leave', 0],
  ['leave, and is busy for a moment', 100],
])('who connects as the gateway begins to %s is answered, and told to go', async (_, busyMs) => {
  const gateway = await startTestGateway({ natsUrl: platform.bus.url, drainMs: 60_000 });
  const agent = new Agent();
  const answers = Promise.all(Array.from({ length: 10 }, () => call(agent, gateway.url)));
  // Their sockets connect at once, and wait for the gateway to take them.
  await new Promise(process.nextTick);
  const closed = gateway.close();
  for (const until = performance.now() + busyMs; performance.now() < until; );
  expect(new Set((await answers).map((answer) => `${answer.status} ${answer.connection}`))).toEqual(
    new Set(['200 close']),
  );
  await closed;
});

test('what runs is finished before the gateway is gone', async () => {
  const gateway = await startTestGateway({ natsUrl: platform.bus.url, drainMs: 60_000 });
  platform.folders.hold();
  const before = platform.asked.length;
  const answer = fetch(`${gateway.url}/api/user/folder`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
    body: '{"name":"wait"}',
  });
  while (platform.asked.length === before) await sleep(5);
  const closed = gateway.close();
  await sleep(50);
  platform.folders.open();
  const { status, headers } = await answer;
  expect([status, headers.get('connection')]).toEqual([201, 'close']);
  await closed;
});

test('an idle gateway leaves at once', async () => {
  const gateway = await startTestGateway({ natsUrl: platform.bus.url, drainMs: 300_000 });
  await gateway.close();
});
