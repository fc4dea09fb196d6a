import { checkImport, importEvents, listProjections, serviceNames, setStanding } from '@parley/contracts';
import { expect, test } from 'vitest';
import { CommandFailed } from '../exit-codes.ts';
import type { Operator } from '../operator/operator.ts';
import { checkInstallation } from '../transfer/check-installation.ts';
import { folderFile } from '../transfer/folder-file.fixture.ts';
import { importAll } from './import.ts';

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
  await importAll({ ask } as unknown as Operator, folderFile(1));
  const last = (name: string) => asked.findLastIndex((each) => each.endsWith(name));
  const begun = asked.findIndex((each) => each.endsWith(setStanding.name));
  expect(asked.slice(begun)).toEqual(
    serviceNames.toReversed().map((service) => `${service} ${setStanding.name}`),
  );
  expect(last(importEvents.name)).toBeLessThan(last(listProjections.name));
  expect(looks).toBe(3 * serviceNames.length);
});

test('what stands of a large account is waited for longer than an answer that is soon there', async () => {
  const waits: (number | undefined)[] = [];
  const ask = async (_service: string, { name }: { name: string }, _input: object, waitMs?: number) => {
    if (name === setStanding.name) waits.push(waitMs);
    if (name === listProjections.name) return { kind: 'ok', value: { projections: [] } };
    return { kind: 'ok', value: { imported: 1, present: 0 } };
  };
  await importAll({ ask } as unknown as Operator, folderFile(1));
  expect(Math.min(...waits.map((waitMs = 0) => waitMs))).toBeGreaterThan(10 * 60_000);
});

test('accounts of which one was exported later go on where their import was cut off between them', async () => {
  const [earlier, later] = [folderFile(0), folderFile(0)].map(({ accounts }) => accounts.get(3));
  if (!earlier || !later) throw new Error('no account');
  const idsOf = (part: typeof earlier, folder_ids: number) =>
    new Map([...part].map(([service, each]) => [service, { ...each, nextIds: { folder_ids } }]));
  const file = {
    ...folderFile(0),
    accounts: new Map([
      [3, idsOf(earlier, 41)],
      [4, idsOf(later, 61)],
    ]),
  };
  const ids = new Map<string, Record<string, number>>();
  const ask = async (
    service: string,
    { name }: { name: string },
    input: { names: { account_id: number }; next_ids: Record<string, number> },
  ) => {
    if (name === importEvents.name) {
      if (input.names.account_id === 4) throw new CommandFailed(`${service} does not answer.`);
      ids.set(service, { ...ids.get(service), ...input.next_ids });
      return { kind: 'ok', value: { imported: 0, present: 0 } };
    }
    const found = {
      streams: [],
      has_events: false,
      newest_at: null,
      unfinished: [3],
      next_ids: ids.get(service) ?? {},
    };
    return { kind: 'ok', value: name === checkImport.name ? found : { events: [], head: 0 } };
  };
  const operator = { ask } as unknown as Operator;
  await expect(importAll(operator, file)).rejects.toThrow('does not answer');
  await expect(checkInstallation(operator, file)).resolves.toBeUndefined();
});
