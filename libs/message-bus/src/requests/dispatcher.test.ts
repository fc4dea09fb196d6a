import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { BusReply } from '../wire/message.ts';
import { Dispatcher, type HandledRequest, type Job } from './dispatcher.ts';

/** A dispatcher whose handlers end when the test says so. */
function start(limits: { maxRunning: number; maxWaiting: number }) {
  const started: string[] = [];
  const answers: [string, BusReply][] = [];
  const handled: HandledRequest[] = [];
  const ends = new Map<string, (reply: BusReply | Error) => void>();
  const dispatcher = new Dispatcher({
    ...limits,
    handle: (subject) => {
      started.push(subject);
      return new Promise((resolve, reject) =>
        ends.set(subject, (reply) => (reply instanceof Error ? reject(reply) : resolve(reply))),
      );
    },
    onFailure: () => ({ kind: 'rejected', rejection: { code: 'internal' } }),
    onHandled: (request) => handled.push(request),
  });
  const admit = (
    subject: string,
    changes: Partial<Job> & { timeoutMs?: number; accountId?: number } = {},
  ) => {
    const { timeoutMs = 1000, accountId = null, ...job } = changes;
    dispatcher.admit({
      subject,
      context: {
        accountId,
        actor: { kind: 'system', id: 'test' },
        commandId: null,
        fingerprint: null,
        correlationId: 'c',
        expectedVersion: null,
        baseUrl: null,
        timeoutMs,
      },
      payload: '{}',
      receivedAt: performance.now(),
      answer: (reply) => answers.push([subject, reply]),
      ...job,
    });
  };
  const end = async (subject: string, reply: BusReply | Error = { kind: 'ok', body: '1' }) => {
    ends.get(subject)?.(reply);
    await new Promise(setImmediate);
  };
  return { dispatcher, started, answers, handled, admit, end };
}

test('requests beyond the bound wait for their turn, and beyond that are refused at once', async () => {
  const { dispatcher, started, answers, admit, end } = start({ maxRunning: 2, maxWaiting: 1 });
  for (const subject of ['a', 'b', 'c', 'd']) admit(subject);
  expect(started).toEqual(['a', 'b']);
  expect([dispatcher.running, dispatcher.waiting]).toEqual([2, 1]);
  expect(answers).toEqual([
    ['d', { kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 1 } }],
  ]);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
  expect([dispatcher.running, dispatcher.waiting]).toEqual([2, 0]);
});

test('a request whose caller has gone is dropped when its turn comes', async () => {
  const { started, answers, handled, admit, end } = start({ maxRunning: 1, maxWaiting: 5 });
  admit('a');
  admit('late', { timeoutMs: 10, receivedAt: performance.now() - 20 });
  admit('b');
  await end('a');
  expect(started).toEqual(['a', 'b']);
  expect(answers.map(([subject]) => subject)).toEqual(['a']);
  expect(handled.map(({ subject, outcome }) => [subject, outcome])).toEqual([
    ['a', 'ok'],
    ['late', 'expired'],
  ]);
});

test('a request that is done is forgotten, also while others wait', async () => {
  const { admit, end } = start({ maxRunning: 1, maxWaiting: 5 });
  const admitWeakly = (subject: string) => {
    const answer = () => undefined;
    admit(subject, { answer });
    return new WeakRef(answer);
  };
  admit('a');
  const waited = admitWeakly('b');
  admit('c');
  admit('d');
  for (const subject of ['a', 'b']) await end(subject);
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(waited.deref()).toBeUndefined();
});

test('however many requests of an account run and wait, those of others begin', async () => {
  const { started, answers, admit, end } = start({ maxRunning: 4, maxWaiting: 6 });
  for (let n = 1; n <= 6; n += 1) admit(`a${n}`, { accountId: 1 });
  expect(started).toEqual(['a1', 'a2']);
  expect(answers.map(([subject]) => subject)).toEqual(['a6']);
  for (const n of [1, 2, 3]) admit(`b${n}`, { accountId: 2 });
  admit('c1', { accountId: 3 });
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  await end('b1');
  expect(started.slice(4)).toEqual(['b3']);
  await end('a1');
  await end('a2');
  expect(started.slice(5)).toEqual(['a3', 'c1']);
});

test('a failure is answered and frees its place', async () => {
  const { started, answers, admit, end } = start({ maxRunning: 1, maxWaiting: 5 });
  admit('a');
  admit('b');
  await end('a', new Error('defect'));
  expect(answers).toEqual([['a', { kind: 'rejected', rejection: { code: 'internal' } }]]);
  expect(started).toEqual(['a', 'b']);
});

test('JSON that is none is refused before any handler; an empty payload is an empty object', () => {
  const { started, answers, admit } = start({ maxRunning: 1, maxWaiting: 5 });
  admit('a', { payload: '{"a":' });
  admit('b', { payload: '' });
  expect(answers).toEqual([['a', { kind: 'rejected', rejection: { code: 'malformed' } }]]);
  expect(started).toEqual(['b']);
});

test('it is idle when what runs and what waits is done', async () => {
  const { dispatcher, admit, end } = start({ maxRunning: 1, maxWaiting: 5 });
  await dispatcher.idle();
  admit('a');
  admit('b');
  let isIdle = false;
  const idle = dispatcher.idle().then(() => {
    isIdle = true;
  });
  await end('a');
  expect(isIdle).toBe(false);
  await end('b');
  await idle;
});
