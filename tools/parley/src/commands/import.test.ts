import { importEvents, listProjections, serviceNames, setStanding } from '@parley/contracts';
import { expect, test } from 'vitest';
import type { Operator } from '../operator/operator.ts';
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
