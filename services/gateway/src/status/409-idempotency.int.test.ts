import { randomUUID } from 'node:crypto';
import { eventually } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { withGateway } from '../gateway.fixture.ts';
import { createCall, startPlatform } from '../platform.fixture.ts';

const platform = await startPlatform();
const { call, asked, folders, keys } = platform;
const create = (name: string, key: string, caller = call) =>
  caller('POST', '/api/user/folder', { body: { name }, headers: { 'idempotency-key': key } });

describe('an Idempotency-Key', () => {
  test('gives the first answer again, byte by byte, on any gateway', async () => {
    const other = await withGateway({ natsUrl: platform.bus.url });
    const key = randomUUID();
    const first = await create('a', key);
    const again = [await create('a', key), await create('a', key, createCall(other.url, platform.key))];
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const { status, text, headers } of again) {
      expect([status, text]).toEqual([201, first.text]);
      expect(headers.get('idempotent-replayed')).toBe('true');
      expect(headers.get('etag')).toBe(first.headers.get('etag'));
    }
  });

  test('makes the same command whatever the order of the body’s keys', async () => {
    const key = randomUUID();
    const send = (rawBody: string) =>
      call('POST', '/api/user/folder', { rawBody, headers: { 'idempotency-key': key } });
    await send('{"name":"a","color":"red"}');
    expect((await send(' {"color":"red", "name":"\\u0061"}')).headers.get('idempotent-replayed')).toBe(
      'true',
    );
  });

  test('with another body is refused', async () => {
    const key = randomUUID();
    await create('a', key);
    const { status, json } = await create('b', key);
    expect(status).toBe(422);
    expect(json).toEqual({ message: expect.any(String), error: 'idempotency_key_reuse' });
  });

  test('on another resource is refused: the path is part of the request', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await call('DELETE', '/api/user/folder/1', { headers });
    await call('DELETE', '/api/user/folder/2', { headers });
    const [first, second] = asked.slice(-2).map(({ context }) => context);
    expect(first?.commandId).toBe(second?.commandId);
    expect(first?.fingerprint).not.toBe(second?.fingerprint);
  });

  test('belongs to one account and one operation', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await call('POST', '/api/user/folder', { body: { name: 'a' }, headers });
    await call('POST', '/api/user/folder', { body: { name: 'a' }, headers, key: keys.issue() });
    await call('PUT', '/api/user/folder/1', { body: { name: 'a' }, headers });
    const ids = asked.slice(-3).map(({ context }) => context.commandId);
    expect(new Set(ids).size).toBe(3);
  });

  test('is 409 while its first request runs, and refused for another body', async () => {
    folders.hold();
    const key = randomUUID();
    const before = asked.length;
    const first = create('wait', key);
    await eventually(() => expect(asked.length).toBeGreaterThan(before));
    const second = await create('wait', key);
    const other = await create('other', key);
    folders.open();
    expect(second.status).toBe(409);
    expect(second.json).toEqual({ message: expect.any(String), error: 'idempotency_in_progress' });
    expect(second.headers.get('retry-after')).toBe('1');
    expect([other.status, Object(other.json).error]).toEqual([422, 'idempotency_key_reuse']);
    expect((await first).status).toBe(201);
    expect((await create('wait', key)).headers.get('idempotent-replayed')).toBe('true');
  });

  test('whose first request was given by another gateway, and is under way, gets the answer when it is there', async () => {
    const { status, json } = await create('begun elsewhere', randomUUID());
    expect([status, json]).toEqual([201, expect.objectContaining({ message: 'Folder created' })]);
  });

  test('of 20 requests at once has one effect', async () => {
    const key = randomUUID();
    const before = asked.length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('once', key)));
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(20 - created.length);
    expect(asked.length - before).toBeLessThanOrEqual(created.length);
  });

  test('of 20 repetitions at once gives each the first answer', async () => {
    const key = randomUUID();
    const { text } = await create('repeated', key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('repeated', key)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, text });
  });

  test.each(['', 'x'.repeat(256)])('of %s characters is invalid', async (key) => {
    const { status, json } = await create('a', key);
    expect(status).toBe(422);
    expect(Object.keys(Object(json).errors)).toEqual(['idempotency_key']);
  });

  test('of 255 characters is valid', async () => {
    expect((await create('a', 'x'.repeat(255))).status).toBe(201);
  });

  test('means nothing to a query', async () => {
    const { status } = await call('GET', '/api/user/folders', { headers: { 'idempotency-key': '' } });
    expect(status).toBe(200);
    expect(asked.at(-1)?.context).toMatchObject({ commandId: null, fingerprint: null });
  });
});
