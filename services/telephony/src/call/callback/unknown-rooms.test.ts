import { Aggregates, createInMemoryEventStore, type SqlExecutor } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import type { VoicePlatform } from '@parley/providers';
import type { CallReport, VoiceEvent } from '@parley/providers/livekit';
import { expect, test } from 'vitest';
import { callStream } from '../call.ts';
import { CallLog } from '../call-log.ts';
import type { CallLookups } from '../other-services.ts';
import { type VoiceEventParts, VoiceEvents } from './voice-events.ts';

const message: MessageContext = {
  ...{ accountId: null, actor: { kind: 'provider', id: 'livekit' }, commandId: null, fingerprint: null },
  ...{ correlationId: 'callback-1', expectedVersion: null, baseUrl: null, timeoutMs: 1_000 },
};

test.each([
  ['that the platform opened for a call, is told again', 'call-_+491701234567_1', 'unavailable'],
  ['that others opened, is nobody’s', 'meeting', undefined],
])('a recording of a room of which nothing was told yet, %s', async (_, room, code) => {
  const sql: SqlExecutor = { query: async () => ({ rows: [], rowCount: 0 }) };
  const events = new VoiceEvents({ sql } as Partial<VoiceEventParts> as VoiceEventParts);
  const recorded: VoiceEvent = { type: 'recorded', room, recordingUrl: 'https://example.com/7.mp3' };
  expect((await events.take(recorded, message))?.code).toBe(code);
});

test('of two copies that hear of a call at the same moment, the later one goes on with that of the other', async () => {
  const store = createInMemoryEventStore();
  const log = new CallLog(new Aggregates(store));
  const bought = { id: 4, account_id: 3, country_code: 'DE', kind: 'normal' };
  // No copy finds the other's call: its view does not show it yet.
  const sql: SqlExecutor = {
    async query({ name }) {
      const rows = (name === 'numbers-by-phone' ? [bought] : []) as never[];
      return { rows, rowCount: rows.length };
    },
  };
  const copy = (id: number) => {
    const parts: Partial<VoiceEventParts> = {
      ...{ ids: { next: async () => id }, log, minutePriceMicros: 100_000, sql, store },
      clock: { now: () => store.now() },
      lookups: { speaking: async () => null } as Partial<CallLookups> as CallLookups,
      platform: {
        introduce: async () => ({ kind: 'ok', value: undefined }),
      } as Partial<VoicePlatform> as VoicePlatform,
    };
    return new VoiceEvents(parts as VoiceEventParts);
  };
  const caller = { room: 'call-_+491701234567_1', openedAt: '2026-11-21T09:31:00.000Z', trunkId: 'ST_1' };
  const phones = { customerPhone: '+491701234567', ourPhone: '+4930901820' };
  const joined: VoiceEvent = { type: 'joined', direction: 'inbound', identity: 'sip', ...caller, ...phones };
  const report: CallReport = {
    ...{ direction: 'inbound', from: phones.customerPhone, to: phones.ourPhone, outcome: 'completed' },
    ...{ duration_s: 61, ended_at: '2026-11-21T09:32:01.000Z', recording_follows: false },
  };
  const { room, openedAt } = caller;
  expect(await copy(81).take(joined, message)).toBeNull();
  expect(await copy(82).take({ type: 'finished', room, openedAt, report }, message)).toBeNull();
  const types = async (id: number) => (await store.readStream(callStream(id))).map(({ type }) => type);
  expect([await types(81), await types(82)]).toEqual([['CallArrived', 'CallEnded'], []]);
});
