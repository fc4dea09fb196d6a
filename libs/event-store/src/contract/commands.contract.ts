import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AppendRequest, EventStore } from '../port.ts';
import { type EngineUnderTest, request, stream } from './requests.contract.ts';

/** A command id is effective once, for ever. */
export function describeCommands(engine: () => EngineUnderTest): void {
  let store: EventStore;
  beforeAll(() => {
    store = engine().store;
  });
  const appendAll = (requests: AppendRequest[]) => Promise.all(requests.map((one) => store.append(one)));

  describe('commands', () => {
    const command = (reply: string | null, commandId: string = randomUUID(), fingerprint = 'f') => ({
      commandId,
      fingerprint,
      reply,
    });

    test('are effective once, and answered with the exact text of the first reply', async () => {
      const reply = '{"b": 1,  "a":"ü\\u00e9 ", "n":1.0}\n';
      const first = request({ command: command(reply), expectedVersion: 0 });
      const appended = await store.append(first);
      const { version, position } = appended.kind === 'appended' ? appended : { version: 0, position: 0 };
      const repeats = await appendAll([
        first,
        { ...first, streamId: stream() },
        { ...first, expectedVersion: 9 },
      ]);
      for (const repeat of repeats)
        expect(repeat).toEqual({
          kind: 'repeated',
          fingerprint: 'f',
          reply,
          version,
          position,
          ageMs: expect.any(Number),
        });
      expect(await store.readStream(first.streamId)).toHaveLength(1);
      expect(await store.findCommand(first.command?.commandId ?? '')).toMatchObject({
        kind: 'repeated',
        reply,
        version,
        position,
      });
    });

    test('are effective once when twenty arrive at once', async () => {
      const commandId = randomUUID();
      const results = await appendAll(
        Array.from({ length: 20 }, () => request({ command: command('{}', commandId.toUpperCase()) })),
      );
      expect(results.map(({ kind }) => kind).sort()).toEqual(['appended', ...Array(19).fill('repeated')]);
    });

    test('show the fingerprint they were recorded with', async () => {
      const commandId = randomUUID();
      await store.append(request({ command: command('{}', commandId, 'one') }));
      expect(await store.append(request({ command: command('{}', commandId, 'two') }))).toMatchObject({
        kind: 'repeated',
        fingerprint: 'one',
      });
    });

    test('may still run, and are completed by a later append', async () => {
      const commandId = randomUUID();
      const streamId = stream();
      await store.append(request({ streamId, command: command(null, commandId) }));
      expect(await store.append(request({ command: command(null, commandId) }))).toMatchObject({
        kind: 'repeated',
        reply: null,
      });
      expect(await store.findCommand(commandId)).toMatchObject({ reply: null, version: 1 });
      const completed = await store.append(request({ streamId, command: command('{"ok":true}', commandId) }));
      expect(completed).toMatchObject({ kind: 'appended', version: 2 });
      expect(await store.append(request({ command: command('{"ok":false}', commandId) }))).toMatchObject({
        kind: 'repeated',
        reply: '{"ok":true}',
        version: 2,
      });
    });

    test('with another fingerprint do not complete one that runs', async () => {
      const commandId = randomUUID();
      await store.append(request({ command: command(null, commandId, 'one') }));
      expect(await store.append(request({ command: command('{}', commandId, 'two') }))).toMatchObject({
        kind: 'repeated',
        fingerprint: 'one',
        reply: null,
      });
    });

    test('without events are recorded too', async () => {
      const commandId = randomUUID();
      const streamId = stream();
      await store.append(request({ streamId }));
      const result = await store.append(request({ streamId, events: [], command: command('{}', commandId) }));
      expect(result).toMatchObject({ kind: 'appended', version: 1 });
      expect(await store.findCommand(commandId)).toMatchObject({ reply: '{}', version: 1 });
    });

    test('that nobody sent are unknown', async () => {
      expect(await store.findCommand(randomUUID())).toBeUndefined();
      expect(await store.findCommand('no uuid')).toBeUndefined();
    });

    test('refused for their version leave nothing behind', async () => {
      const refused = request({ expectedVersion: 5, command: command('{}') });
      expect(await store.append(refused)).toMatchObject({ kind: 'conflict' });
      expect(await store.findCommand(refused.command?.commandId ?? '')).toBeUndefined();
    });
  });
}
