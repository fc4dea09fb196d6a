import { advanceClock } from '@parley/contracts';
import { findFreePort } from '@parley/embedded-servers';
import { connectToBus } from '@parley/message-bus';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { countNotes, fail, notesService, takeNote } from './notes-service.fixture.ts';
import { ensureDatabase } from './start/database.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(notesService, 2);
});
afterAll(() => copies?.close());

test('copies that start together on a server without their database make it once', async () => {
  const name = `test_race_${Date.now()}`;
  const urls = await Promise.all(
    Array.from({ length: 8 }, () => ensureDatabase(inject('postgresUrl'), name)),
  );
  expect(new Set(urls).size).toBe(1);
  expect(urls[0]).toContain(`/${name}`);
});

test('a payload that does not fit is rejected with its fields, before the handler', async () => {
  expect(await copies.send(takeNote, { id: 0, text: 'x'.repeat(11) })).toEqual({
    kind: 'rejected',
    rejection: { code: 'invalid', fields: { id: [expect.any(String)], text: [expect.any(String)] } },
  });
});

test('an unexpected failure is answered without internals', async () => {
  for (const how of ['bug', 'sql'])
    expect(await copies.send(fail, { how })).toEqual({ kind: 'rejected', rejection: { code: 'internal' } });
});

test('what cannot be done just now is unavailable, and says when to come back, and whether it may be asked again meanwhile', async () => {
  const unavailable = { code: 'unavailable', retryAfterSeconds: 1 };
  expect(await copies.send(fail, { how: 'full' })).toEqual({ kind: 'rejected', rejection: unavailable });
  expect(await copies.send(fail, { how: 'outage' })).toEqual({
    kind: 'rejected',
    rejection: { ...unavailable, isOutage: true },
  });
});

test('a change is read at once; reactors follow, and timers once the platform clock is there', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => index + 1);
  await Promise.all(ids.map((id) => copies.ask(takeNote, { id, text: `n${id}` })));
  expect(await copies.ask(countNotes, {})).toMatchObject({ notes: 30 });
  await eventually(async () => expect(await copies.ask(countNotes, {})).toMatchObject({ echoes: 30 }));
  expect(await copies.ask(countNotes, {})).toMatchObject({ reminders: 0 });
  const before = Date.now();
  const { now } = await copies.ask(advanceClock, { offset_seconds: 3_600 });
  expect(Date.parse(now)).toBeGreaterThanOrEqual(before + 3_599_000);
  await eventually(async () => expect(await copies.ask(countNotes, {})).toMatchObject({ reminders: 30 }));
  expect(await copies.ask(countNotes, {})).toEqual({ notes: 30, echoes: 30, reminders: 30 });
});

test('every event is published once, by whichever copy', async () => {
  const connection = await connectToBus({ servers: copies.natsUrl, name: 'test' });
  await eventually(async () => {
    const answer = await connection.request('$JS.API.STREAM.INFO.EVT_ASSISTANTS', '');
    expect(JSON.parse(answer.string())).toMatchObject({ state: { messages: 90 } });
  });
  await connection.close();
});

test('the platform clock stands outside sandbox stacks; health and metrics are served where asked for', async () => {
  const port = await findFreePort();
  const copy = await startServiceCopies(notesService, 1, { SANDBOX: 'false', HEALTH_PORT: String(port) });
  expect(await copy.send(advanceClock, { offset_seconds: 5 })).toMatchObject({
    rejection: { code: 'unavailable', details: { reason: 'no_handler' } },
  });
  await copy.ask(takeNote, { id: 1, text: 'a' });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await get('/health/live')).status).toBe(200);
  await eventually(async () => expect((await get('/health/ready')).status).toBe(200));
  expect((await get('/nothing')).status).toBe(404);
  const metrics = (await (await get('/metrics?of=notes')).text()).split('\n');
  const counted = metrics.find((line) => /^parley_request_duration_seconds_count.*take-note/.test(line));
  expect(counted).toMatch(/outcome="ok".* 1$/);
  await copy.close();
  await expect(get('/health/live')).rejects.toThrow();
});
