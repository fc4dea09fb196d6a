import { randomUUID } from 'node:crypto';
import { eventually, startCuttingProxy } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { request, stream } from '../../contract/requests.contract.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';
import { forLookUps } from './answer-time.ts';

test('whoever reads over a connection that was lost without a word reads over another one soon', async () => {
  const proxy = await startCuttingProxy(await newDatabase());
  onTestFinished(() => proxy.close());
  const store = await openStore(proxy.url);
  const streamId = stream();
  await store.append(request({ streamId }));
  const questions = [
    () => store.readStream(streamId),
    () => store.readAll({ after: 0, limit: 1 }),
    () => store.findCommand(randomUUID()),
    () => store.head(),
    () => store.now(),
    () => forLookUps(store.pool).query({ text: 'select 1' }),
  ];
  const askAll = () => Promise.allSettled(questions.map((ask) => ask()));
  const untilAnswered = () =>
    eventually(async () => {
      const answers = await askAll();
      expect(answers.map(({ status }) => status)).toEqual(questions.map(() => 'fulfilled'));
    });
  // Each has a connection that waits for it then.
  await untilAnswered();
  proxy.goSilent();
  const lost = await askAll();
  expect(new Set(lost.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(lost[0]).toMatchObject({ reason: { message: 'Query read timeout' } });
  await untilAnswered();
  expect(await store.readStream(streamId)).toHaveLength(1);
});

test('Postgres asks whoever is connected whether they are still there, and soon gives up who is not', async () => {
  const store = await openStore(await newDatabase());
  const names = ['keepalives_idle', 'keepalives_interval', 'keepalives_count', 'user_timeout'];
  const { rows } = await store.pool.query<{ value: number }>(
    `select current_setting('tcp_' || name)::int4 as value
     from unnest($1::text[]) with ordinality n (name, place) order by place`,
    [names],
  );
  const [idle = 0, interval = 0, count = 0, unacknowledgedMs = 0] = rows.map(({ value }) => value);
  for (const seconds of [idle + interval * count, unacknowledgedMs / 1_000]) {
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(30);
  }
});
