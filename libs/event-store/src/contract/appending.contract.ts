import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AppendRequest, EventStore } from '../port.ts';
import { type EngineUnderTest, happened, request, stream } from './requests.contract.ts';

/** Versions, atomicity, order, and good neighbourhood in a batch. */
export function describeAppending(engine: () => EngineUnderTest): void {
  let store: EventStore;
  beforeAll(() => {
    store = engine().store;
  });
  const appendAll = (requests: AppendRequest[]) => Promise.all(requests.map((one) => store.append(one)));

  describe('appending', () => {
    test('gives back the version and the position of the last event', async () => {
      const streamId = stream();
      const first = await store.append(
        request({ streamId, events: [happened(1), happened(2)], expectedVersion: 0 }),
      );
      const second = await store.append(request({ streamId, expectedVersion: 2 }));
      expect(first).toMatchObject({ kind: 'appended', version: 2 });
      expect(second).toMatchObject({ kind: 'appended', version: 3 });
      const events = await store.readStream(streamId);
      expect(events.map(({ streamVersion }) => streamVersion)).toEqual([1, 2, 3]);
      expect(events.at(-1)).toMatchObject({
        ...(second.kind === 'appended' && { position: second.position, recordedAt: second.recordedAt }),
      });
    });

    test('keeps everything an event was given', async () => {
      const streamId = stream();
      const eventId = randomUUID();
      const data = {
        text: 'ünï \u{1F600} "quoted" \\u0000 {1,2}',
        none: null,
        list: [1, 2.5, -3e-7, true],
        nested: { a: {} },
      };
      const metadata = {
        correlationId: 'c',
        causationId: 'd',
        commandId: randomUUID(),
        actor: { kind: 'api_key' as const, id: '17' },
        traceparent: '00-1-2-01',
      };
      await store.append(
        request({
          streamId,
          accountId: null,
          metadata,
          events: [{ type: 'Kept', data, eventId, schemaVersion: 4 }],
        }),
      );
      expect(await store.readStream(streamId)).toEqual([
        {
          position: expect.any(Number),
          streamId,
          streamVersion: 1,
          category: 'thing',
          accountId: null,
          type: 'Kept',
          schemaVersion: 4,
          eventId,
          data,
          metadata,
          recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        },
      ]);
    });

    test.each(['"', '\\', '{}', 'a,b', 'NULL', '', ' ', "'", '$1', 'ü\u{1F600}', '\n\t', '\\"{,}'])(
      'keeps the name %j wherever a name may stand',
      async (name) => {
        const streamId = `thing-${name}${randomUUID()}`;
        const commandId = randomUUID();
        const claim = { op: 'take', scope: name, key: `${name}${streamId}`, owner: name } as const;
        const timer = {
          id: `${name}${streamId}`,
          kind: name,
          due: { afterMs: 60_000 },
          payload: { [name]: name },
        };
        const odd = request({
          streamId,
          category: name,
          events: [{ type: name, data: { [name]: name } }],
          command: { commandId, fingerprint: name, reply: name },
          claims: [claim],
          timers: [timer],
          checkpoint: { processor: `${name}${streamId}`, from: 0, to: 1 },
        });
        expect(await store.append(odd)).toMatchObject({ kind: 'appended', version: 1 });
        expect(await store.readStream(streamId)).toMatchObject([
          { streamId, category: name, type: name, data: { [name]: name } },
        ]);
        expect(await store.findCommand(commandId)).toMatchObject({ fingerprint: name, reply: name });
        const other = request({ claims: [{ ...claim, owner: 'other' }] });
        expect(await store.append(other)).toEqual({
          kind: 'claim-taken',
          scope: name,
          key: claim.key,
          owner: name,
        });
        expect(await engine().timers()).toContainEqual(expect.objectContaining({ id: timer.id, kind: name }));
      },
    );

    test('refuses another version than expected and says which one it is', async () => {
      const streamId = stream();
      await store.append(request({ streamId, events: [happened(), happened()] }));
      for (const expectedVersion of [0, 1, 3])
        expect(await store.append(request({ streamId, expectedVersion }))).toEqual({
          kind: 'conflict',
          actualVersion: 2,
        });
      expect(await store.append(request({ expectedVersion: 1 }))).toEqual({
        kind: 'conflict',
        actualVersion: 0,
      });
      expect(await store.readStream(streamId)).toHaveLength(2);
    });

    test('lets exactly one of concurrent creates win', async () => {
      const streamId = stream();
      const results = await appendAll(
        Array.from({ length: 50 }, () => request({ streamId, expectedVersion: 0 })),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'conflict')).toHaveLength(49);
      expect(await store.readStream(streamId)).toHaveLength(1);
    });

    test('keeps versions gap-free when 64 writers race for one stream', async () => {
      const streamId = stream();
      let attempts = 0;
      let wins = 0;
      const write = async () => {
        for (let version = 0; attempts++ < 5_000; ) {
          const result = await store.append(request({ streamId, expectedVersion: version }));
          if (result.kind === 'appended') wins++;
          version =
            result.kind === 'appended'
              ? result.version
              : result.kind === 'conflict'
                ? result.actualVersion
                : -1;
        }
      };
      await Promise.all(Array.from({ length: 64 }, write));
      const versions = (await store.readStream(streamId)).map(({ streamVersion }) => streamVersion);
      expect(wins).toBeGreaterThan(0);
      expect(wins).toBeLessThan(5_000);
      expect(versions).toEqual(Array.from({ length: wins }, (_, index) => index + 1));
    });

    test('writes all events of an append or none', async () => {
      const streamId = stream();
      const eventId = randomUUID();
      await store.append(request({ events: [{ ...happened(), eventId }] }));
      const doomed = request({ streamId, events: [happened(), happened(), { ...happened(), eventId }] });
      await expect(store.append(doomed)).rejects.toThrow();
      expect(await store.readStream(streamId)).toEqual([]);
    });

    test('holds more than a thousand events in one stream and in one append', async () => {
      const streamId = stream();
      const events = Array.from({ length: 1_200 }, (_, index) => happened(index));
      await store.append(request({ streamId, events }));
      await store.append(request({ streamId, events, expectedVersion: 1_200 }));
      const read = await store.readStream(streamId);
      expect(read.map(({ streamVersion }) => streamVersion)).toEqual(
        Array.from({ length: 2_400 }, (_, i) => i + 1),
      );
      expect(read.map(({ data }) => data)).toEqual([...events, ...events].map(({ data }) => data));
      const nowhere = { fromVersion: 999_999_999_999_999, toVersion: 999_999_999_999_999 };
      expect(await store.readStream(streamId, nowhere)).toEqual([]);
      expect(await store.readStream(streamId, { fromVersion: 1_199, toVersion: 2_201 })).toEqual(
        read.slice(1_198, 2_201),
      );
    });

    test('never lets one bad append harm its neighbours', async () => {
      const eventId = randomUUID();
      await store.append(request({ events: [{ ...happened(), eventId }] }));
      const good = Array.from({ length: 30 }, () => request({ expectedVersion: 0 }));
      const bad = [
        request({ events: [{ ...happened(), eventId }] }),
        request({ events: [happened('\0')] }),
        request({ events: [happened('\ud800')] }),
        request({ streamId: 'thing-\0' }),
        request({ events: [{ type: 'NoData', data: undefined }] }),
        request({ command: { commandId: 'no uuid', fingerprint: '', reply: '{}' } }),
      ];
      const requests = [
        ...good.slice(0, 10),
        ...bad.slice(0, 3),
        ...good.slice(10, 20),
        ...bad.slice(3),
        ...good.slice(20),
      ];
      const outcomes = await Promise.allSettled(requests.map((one) => store.append(one)));
      const failed = requests.filter((_, index) => outcomes[index]?.status === 'rejected');
      expect(failed).toEqual(bad);
      for (const { streamId } of good) expect(await store.readStream(streamId)).toHaveLength(1);
    });

    test('keeps the order of appends to one stream', async () => {
      const streamId = stream();
      const notes = Array.from({ length: 300 }, (_, index) => index);
      await appendAll(notes.map((note) => request({ streamId, events: [happened(note)] })));
      expect((await store.readStream(streamId)).map(({ data }) => data)).toEqual(
        notes.map((note) => ({ note })),
      );
    });

    test('records nothing for an append of nothing', async () => {
      const streamId = stream();
      const result = await store.append(request({ streamId, events: [], expectedVersion: 0 }));
      expect(result).toMatchObject({ kind: 'appended', version: 0 });
      expect(await store.append(request({ streamId, events: [], expectedVersion: 1 }))).toEqual({
        kind: 'conflict',
        actualVersion: 0,
      });
    });
  });
}
