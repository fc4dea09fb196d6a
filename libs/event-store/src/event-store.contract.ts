import { randomUUID } from 'node:crypto';
import { eventually } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppendRequest, EventStore, NewEvent, Upcaster } from './port.ts';

/** An engine under test, with what the suite cannot reach through the port. */
export interface EngineUnderTest {
  readonly store: EventStore;
  /** Ids and kinds of the durable timers, and the milliseconds until each is due. */
  timers(): Promise<{ id: string; kind: string; dueAt: string; dueInMs: number }[]>;
  /** Moves the platform clock to this many seconds ahead of real time; may go back. */
  setClock(secondsAhead: number): Promise<void>;
  close(): Promise<void>;
}

/** The engine is opened with these, so that the suite can see them at work. */
export const contractUpcasters: readonly Upcaster[] = [
  {
    type: 'Renamed',
    fromVersion: 1,
    upcast: ({ title, ...rest }) => ({ ...rest, name: title ?? '' }),
  },
  { type: 'Renamed', fromVersion: 2, upcast: ({ name, ...rest }) => ({ ...rest, name: `${name}!` }) },
];

export const stream = (): string => `thing-${randomUUID()}`;

export const happened = (note: unknown = 'x'): NewEvent => ({ type: 'Happened', data: { note } });

export function request(overrides: Partial<AppendRequest> = {}): AppendRequest {
  return {
    streamId: stream(),
    category: 'thing',
    accountId: 7,
    events: [happened()],
    expectedVersion: 'any',
    metadata: {
      correlationId: 'correlation',
      causationId: 'causation',
      commandId: null,
      actor: { kind: 'system', id: 'test' },
    },
    ...overrides,
  };
}

/** What every engine promises. Each test has streams of its own, so that all of them may share one log. */
export function describeEventStore(engineName: string, open: () => Promise<EngineUnderTest>): void {
  describe(`the ${engineName} engine`, () => {
    let engine: EngineUnderTest;
    let store: EventStore;
    beforeAll(async () => {
      engine = await open();
      store = engine.store;
    });
    afterAll(() => engine?.close());

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
          expect(await engine.timers()).toContainEqual(expect.objectContaining({ id: timer.id, kind: name }));
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

    describe('the log', () => {
      test('has no gap between positions and is read in pages', async () => {
        const before = await store.head();
        await appendAll(Array.from({ length: 100 }, () => request({ events: [happened(), happened()] })));
        const head = await store.head();
        expect(head).toBe(before + 200);
        const positions: number[] = [];
        for (let after = before; after < head; ) {
          const page = await store.readAll({ after, limit: 33 });
          positions.push(...page.map(({ position }) => position));
          after = page.at(-1)?.position ?? head;
        }
        expect(positions).toEqual(Array.from({ length: 200 }, (_, index) => before + index + 1));
        expect(await store.readAll({ after: head, limit: 10 })).toEqual([]);
      });

      test('is filtered by type, account and stream', async () => {
        const [after, one, other] = [await store.head(), stream(), stream()];
        await store.append(
          request({ streamId: one, accountId: 1, events: [happened(1), { type: 'Other', data: {} }] }),
        );
        await store.append(
          request({ streamId: other, accountId: 2, events: [happened(2), { type: 'Third', data: {} }] }),
        );
        const read = async (options: object) =>
          (await store.readAll({ after, limit: 10, ...options })).map(
            ({ type, accountId }) => `${type} ${accountId}`,
          );
        expect(await read({})).toEqual(['Happened 1', 'Other 1', 'Happened 2', 'Third 2']);
        expect(await read({ types: ['Happened', 'Third'] })).toEqual(['Happened 1', 'Happened 2', 'Third 2']);
        expect(await read({ accountId: 2 })).toEqual(['Happened 2', 'Third 2']);
        expect(await read({ streamId: one })).toEqual(['Happened 1', 'Other 1']);
        expect(await read({ streamId: other, accountId: 1 })).toEqual([]);
        expect(await read({ types: ['Other'], accountId: 1, streamId: one, limit: 1 })).toEqual(['Other 1']);
      });

      test('wakes whoever waits for appended events', async () => {
        let woken = 0;
        const unsubscribe = store.onAppended(() => {
          woken++;
        });
        const seen = await wokenBy(
          () => woken,
          () => store.append(request()),
        );
        expect(seen).toBeGreaterThan(0);
        unsubscribe();
      });

      test('brings payloads to their newest version when read', async () => {
        const streamId = stream();
        await store.append(
          request({
            streamId,
            events: [
              { type: 'Renamed', data: { title: 'a' } },
              { type: 'Renamed', data: { name: 'b' }, schemaVersion: 2 },
              { type: 'Renamed', data: { name: 'c' }, schemaVersion: 3 },
            ],
          }),
        );
        const expected = ['a!', 'b!', 'c'].map((name) => ({ schemaVersion: 3, data: { name } }));
        expect(await store.readStream(streamId)).toMatchObject(expected);
        expect(await store.readAll({ after: 0, limit: 10, streamId })).toMatchObject(expected);
      });
    });

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
        const completed = await store.append(
          request({ streamId, command: command('{"ok":true}', commandId) }),
        );
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
        const result = await store.append(
          request({ streamId, events: [], command: command('{}', commandId) }),
        );
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

    describe('claims', () => {
      const claim = (op: 'take' | 'release', key: string, owner: string) => ({
        op,
        scope: 'name',
        key,
        owner,
      });

      test('are taken by one, refused to others, free again once released', async () => {
        const key = randomUUID();
        expect(await store.append(request({ claims: [claim('take', key, 'a')] }))).toMatchObject({
          kind: 'appended',
        });
        const refused = request({ claims: [claim('take', key, 'b')] });
        expect(await store.append(refused)).toEqual({ kind: 'claim-taken', scope: 'name', key, owner: 'a' });
        expect(await store.readStream(refused.streamId)).toEqual([]);
        expect(await store.append(request({ claims: [claim('release', key, 'b')] }))).toMatchObject({
          kind: 'appended',
        });
        expect(await store.append(refused)).toMatchObject({ kind: 'claim-taken' });
        await store.append(request({ claims: [claim('release', key, 'a')] }));
        expect(await store.append(refused)).toMatchObject({ kind: 'appended' });
      });

      test('may be taken again by their owner and handed over within one append', async () => {
        const key = randomUUID();
        await store.append(request({ claims: [claim('take', key, 'a')] }));
        expect(
          await store.append(request({ claims: [claim('take', key, 'a'), claim('take', key, 'a')] })),
        ).toMatchObject({ kind: 'appended' });
        expect(
          await store.append(request({ claims: [claim('take', key, 'b'), claim('release', key, 'a')] })),
        ).toMatchObject({ kind: 'appended' });
        expect(await store.append(request({ claims: [claim('take', key, 'a')] }))).toMatchObject({
          kind: 'claim-taken',
          owner: 'b',
        });
      });

      test('are won by exactly one of a hundred', async () => {
        const key = randomUUID();
        const results = await appendAll(
          Array.from({ length: 100 }, (_, i) =>
            request({ expectedVersion: 0, claims: [claim('take', key, `o${i}`)] }),
          ),
        );
        expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
        expect(results.filter(({ kind }) => kind === 'claim-taken')).toHaveLength(99);
      });

      test('of different scopes do not meet', async () => {
        const key = randomUUID();
        const results = await appendAll(
          ['x', 'y'].map((scope) => request({ claims: [{ op: 'take', scope, key, owner: scope }] })),
        );
        expect(results.map(({ kind }) => kind)).toEqual(['appended', 'appended']);
      });
    });

    describe('checkpoints', () => {
      test('move with the append of whoever knows where they are', async () => {
        const processor = randomUUID();
        const move = (from: number, to: number) =>
          store.append(request({ checkpoint: { processor, from, to } }));
        expect(await move(3, 5)).toEqual({ kind: 'checkpoint-moved', actual: 0 });
        expect(await move(0, 5)).toMatchObject({ kind: 'appended' });
        expect(await move(0, 7)).toEqual({ kind: 'checkpoint-moved', actual: 5 });
        expect(await move(5, 7)).toMatchObject({ kind: 'appended' });
      });

      test('let exactly one of two owners act, and the other writes nothing', async () => {
        const checkpoint = { processor: randomUUID(), from: 0, to: 1 };
        const requests = [request({ checkpoint }), request({ checkpoint })];
        expect((await appendAll(requests)).map(({ kind }) => kind).sort()).toEqual([
          'appended',
          'checkpoint-moved',
        ]);
        const written = await Promise.all(requests.map(({ streamId }) => store.readStream(streamId)));
        expect(written.flat()).toHaveLength(1);
      });
    });

    describe('timers', () => {
      const find = async (id: string) => (await engine.timers()).find((timer) => timer.id === id);

      test('are scheduled, moved and cancelled with an append', async () => {
        const id = randomUUID();
        await store.append(
          request({ timers: [{ id, kind: 'k', due: { afterMs: 60_000 }, payload: { n: 1 } }] }),
        );
        const first = await find(id);
        expect(first?.dueInMs).toBeGreaterThan(50_000);
        expect(first?.dueInMs).toBeLessThanOrEqual(60_000);
        const at = '2099-01-01T00:00:00.000Z';
        await store.append(request({ timers: [{ id, kind: 'k2', due: { at }, payload: {} }] }));
        expect(await find(id)).toMatchObject({ kind: 'k2' });
        expect(new Date((await find(id))?.dueAt ?? 0).toISOString()).toBe(at);
        await store.append(request({ cancelTimers: [id] }));
        expect(await find(id)).toBeUndefined();
      });

      test('fire by exactly one of the appends that found them due', async () => {
        const id = randomUUID();
        await store.append(request({ timers: [{ id, kind: 'k', due: { afterMs: 0 }, payload: {} }] }));
        const firesTimer = { id, dueAt: (await find(id))?.dueAt ?? '' };
        const results = await appendAll(Array.from({ length: 5 }, () => request({ firesTimer })));
        expect(results.map(({ kind }) => kind).sort()).toEqual(['appended', ...Array(4).fill('timer-gone')]);
        expect(await find(id)).toBeUndefined();
      });

      test('do not fire once they were moved', async () => {
        const id = randomUUID();
        await store.append(request({ timers: [{ id, kind: 'k', due: { afterMs: 0 }, payload: {} }] }));
        const firesTimer = { id, dueAt: (await find(id))?.dueAt ?? '' };
        await store.append(request({ timers: [{ id, kind: 'k', due: { afterMs: 1_000 }, payload: {} }] }));
        expect(await store.append(request({ firesTimer }))).toEqual({ kind: 'timer-gone' });
        expect(await find(id)).toBeDefined();
      });
    });

    describe('the clock', () => {
      test('is the platform’s: recorded times follow it and never decrease', async () => {
        const streamId = stream();
        const recordedAt = async (secondsAhead: number) => {
          await engine.setClock(secondsAhead);
          await store.append(request({ streamId }));
          const last = (await store.readStream(streamId)).at(-1);
          return Date.parse(last?.recordedAt ?? '');
        };
        const [before, ahead, back] = [await recordedAt(0), await recordedAt(86_400), await recordedAt(0)];
        expect(ahead - before).toBeGreaterThanOrEqual(86_400_000);
        expect(ahead - before).toBeLessThan(86_460_000);
        expect(back).toBe(ahead);
        await engine.setClock(90_000);
        expect((await store.now()).getTime() - Date.now()).toBeGreaterThan(89_000_000);
        await engine.setClock(0);
      });
    });
  });
}

/** Acts until it was seen: a wake-up that was missed because nobody listened yet is no fault. */
async function wokenBy(seen: () => number, act: () => Promise<unknown>): Promise<number> {
  await act();
  return eventually(() => {
    if (seen() === 0) throw new Error('nobody was woken');
    return seen();
  });
}
