import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { stream } from '../contract/requests.contract.ts';
import { add, metadata, newCounter } from '../counter.fixture.ts';

describe('aggregates with a command id', () => {
  let counter: ReturnType<typeof newCounter>;
  beforeEach(() => {
    counter = newCounter();
  });
  const execute: ReturnType<typeof newCounter>['execute'] = (...args) => counter.execute(...args);

  const command = (fingerprint: string | null = 'f') => ({ commandId: randomUUID(), fingerprint });

  test('answer a repeated command with the first reply, byte for byte, whatever happened since', async () => {
    const repeated = command();
    const first = await execute(add(1), { command: repeated });
    await execute(add(10));
    const decideNow = () => ({ code: 'it_is_too_late' });
    for (const decide of [add(1), decideNow])
      expect(await execute(decide, { command: repeated })).toEqual({ ...first, replayed: true });
    expect(await counter.store.readStream(counter.streamId)).toHaveLength(2);
  });

  test('refuse the id for another request', async () => {
    const { commandId } = command();
    await execute(add(1), { command: { commandId, fingerprint: 'one' } });
    for (const decide of [add(1), () => ({ code: 'no' })])
      expect(await execute(decide, { command: { commandId, fingerprint: 'two' } })).toEqual({
        kind: 'rejected',
        rejection: { code: 'idempotency_key_reuse' },
      });
  });

  test('refuse a caller’s own id after 24 hours, and replay one they did not choose', async () => {
    const [chosen, fresh] = [command(), command(null)];
    await execute(add(1), { command: chosen });
    await execute(add(1), { command: fresh });
    counter.clock.now = new Date('2026-11-22T10:00:00.000Z');
    expect(await execute(add(1), { command: chosen })).toMatchObject({ kind: 'done', replayed: true });
    counter.clock.now = new Date('2026-11-22T10:00:00.001Z');
    expect(await execute(add(1), { command: chosen })).toEqual({
      kind: 'rejected',
      rejection: { code: 'idempotency_key_expired' },
    });
    expect(await execute(add(1), { command: fresh })).toMatchObject({ kind: 'done', replayed: true });
    expect(await counter.store.readStream(counter.streamId)).toHaveLength(2);
  });

  test('say that a command still runs', async () => {
    const running = command();
    await counter.store.append({
      streamId: stream(),
      category: 'thing',
      accountId: 7,
      events: [],
      expectedVersion: 0,
      metadata,
      command: { commandId: running.commandId, fingerprint: 'f', reply: null },
    });
    // A decision with an ordinary reply would complete it; the one that is asked again here says no.
    expect(await execute(() => ({ code: 'no' }), { command: running })).toEqual({
      kind: 'rejected',
      rejection: { code: 'idempotency_in_progress' },
    });
  });

  test('do not store a rejection', async () => {
    const rejected = command();
    await execute(() => ({ code: 'no' }), { command: rejected });
    expect(await execute(add(1), { command: rejected })).toMatchObject({ kind: 'done', replayed: false });
  });
});
