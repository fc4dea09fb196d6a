import { RejectionError } from '@parley/service-kit';
import { expect, test } from 'vitest';
import { renderTrace } from './trace.ts';

type Answers = Parameters<typeof renderTrace>[1];

const event = (type: string, second: number, causation = 'request-1') => ({
  position: second,
  stream_id: 'folder-12',
  stream_version: 1,
  category: 'folder',
  account_id: 3,
  type,
  schema_version: 1,
  event_id: `0193e2a0-0000-7000-8000-00000000000${second}`,
  data: { id: 12, name: 'Sales', color: null },
  metadata: {
    correlation_id: 'request-1',
    causation_id: causation,
    command_id: null,
    actor: { kind: 'api_key', id: '1' },
  },
  recorded_at: `2026-11-21T09:30:0${second}.000000Z`,
});
const answer = (service: string, ...events: object[]) => ({
  service,
  reply: { kind: 'ok', body: JSON.stringify({ events, is_cut: service === 'messaging' }) },
});
const trace = (...answers: object[]) => renderTrace('request-1', answers as unknown as Answers);

test('what all services know of a request is told in the order in which it happened', () => {
  const told = trace(
    answer('assistants', event('FolderRenamed', 3), event('FolderCreated', 1)),
    answer('telephony', event('FolderDeleted', 2)),
  );
  expect(told).toMatchObject({ request_id: 'request-1', is_cut: false });
  expect(told?.events.map(({ event: type, service }) => [type, service])).toEqual([
    ['FolderCreated', 'assistants'],
    ['FolderDeleted', 'telephony'],
    ['FolderRenamed', 'assistants'],
  ]);
});

const refused = { service: 'telephony', reply: { kind: 'rejected', rejection: { code: 'unavailable' } } };
const silent = { service: 'automations', reply: null };

test('a trace is cut when a service has cut its own, or was silent', () => {
  const found = answer('assistants', event('FolderCreated', 1));
  const cut = (...missing_services: string[]) => ({
    is_cut: true,
    missing_services,
    events: [{ event: 'FolderCreated' }],
  });
  expect(trace(answer('messaging', event('FolderCreated', 1)))).toMatchObject(cut());
  expect(trace(found, silent)).toMatchObject(cut('automations'));
  expect(trace(found, refused)).toMatchObject(cut('telephony'));
});

test('there is no trace when all services say so; when one of them was silent, nobody can say', () => {
  expect(trace(answer('assistants'))).toBeNull();
  for (const away of [refused, silent])
    expect(() => trace(answer('assistants'), away)).toThrow(RejectionError);
});
