import { expect, test } from 'vitest';
import { contractUpcasters } from './contract/requests.contract.ts';
import { createUpcast } from './upcasting.ts';

const event = (type: string, schemaVersion: number, data: { [key: string]: string }) => ({
  position: 1,
  streamId: 's',
  streamVersion: 1,
  category: 'c',
  accountId: null,
  type,
  schemaVersion,
  eventId: '',
  data,
  metadata: {
    correlationId: '',
    causationId: '',
    commandId: null,
    actor: { kind: 'system' as const, id: '' },
  },
  recordedAt: '',
});

test('a payload climbs every step to its newest version, and the event stays as it was otherwise', () => {
  const upcast = createUpcast(contractUpcasters);
  expect(upcast(event('Renamed', 1, { title: 'a' }))).toEqual(event('Renamed', 3, { name: 'a!' }));
  const newest = event('Renamed', 3, { name: 'a' });
  expect(upcast(newest)).toBe(newest);
});

test('other types pass as they are', () => {
  const other = event('Other', 1, { title: 'a' });
  expect(createUpcast(contractUpcasters)(other)).toBe(other);
  expect(createUpcast()(other)).toBe(other);
});

test('two upcasters of one version are refused at once', () => {
  const [first] = contractUpcasters;
  if (!first) throw new Error('there is one');
  expect(() => createUpcast([first, first])).toThrow('Renamed 1');
});
