import { importEvents, listProjections, serviceNames, setStanding } from '@parley/contracts';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import type { Operator } from '../operator/operator.ts';
import { exportedEvent } from '../transfer/lines.ts';
import type { Spool } from '../transfer/spool.ts';
import { importAll } from './import.ts';

const eventOf = (service: string) =>
  exportedEvent.parse({
    service,
    event_id: '0193e2a0-0000-7000-8000-000000000001',
    stream_id: 'folder-12',
    stream_version: 1,
    category: 'folder',
    account_id: 3,
    ...golden<{ type: string; data: object }>('FolderCreated.v1')[0],
    schema_version: 1,
    metadata: {
      correlation_id: 'request-1',
      causation_id: 'command-1',
      command_id: null,
      actor: { kind: 'api_key', id: '1' },
    },
    recorded_at: '2026-11-21T09:30:01.000000Z',
  });

const part = { accountId: 3, events: 1, firstAt: null, streams: new Map(), names: [], nextIds: {} };
const spool: Spool = {
  accounts: new Map([[3, new Map(serviceNames.map((service) => [service, part]))]]),
  async *read(_, service) {
    yield eventOf(service);
  },
  close: async () => undefined,
};

test('nothing goes on before all services have everything, and show it', async () => {
  const asked: string[] = [];
  let looks = 0;
  const ask = async (service: string, { name }: { name: string }) => {
    asked.push(`${service} ${name}`);
    if (name === importEvents.name) return { kind: 'ok', value: { imported: 1, present: 0 } };
    if (name !== listProjections.name) return { kind: 'ok', value: {} };
    looks += 1;
    const position = looks > 2 * serviceNames.length ? 7 : 6;
    return { kind: 'ok', value: { projections: [{ name: 'leads', status: 'live', position, head: 7 }] } };
  };
  await importAll({ ask } as unknown as Operator, spool);
  const last = (name: string) => asked.findLastIndex((each) => each.endsWith(name));
  const begun = asked.findIndex((each) => each.endsWith(setStanding.name));
  expect(asked.slice(begun)).toEqual(
    serviceNames.toReversed().map((service) => `${service} ${setStanding.name}`),
  );
  expect(last(importEvents.name)).toBeLessThan(last(listProjections.name));
  expect(looks).toBe(3 * serviceNames.length);
});
