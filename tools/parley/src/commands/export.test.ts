import { readBelongings, readEvents, serviceNames } from '@parley/contracts';
import { afterEach, expect, test, vi } from 'vitest';
import type { Operator } from '../operator/operator.ts';
import { folderEvent } from '../transfer/folder-file.fixture.ts';
import { exportAccount } from './export.ts';

afterEach(() => vi.restoreAllMocks());

/** A service in which an account goes on making folders and renaming them. */
class BusyService {
  readonly events: ReturnType<typeof folderEvent>[] = [];
  readonly names = new Map<string, string>();

  change(owner: string, name: string): void {
    const position = this.events.length + 1;
    this.events.push({ ...folderEvent(position), stream_id: owner, stream_version: position });
    for (const [key, held] of this.names) if (held === owner) this.names.delete(key);
    this.names.set(name, owner);
  }

  read({ after, limit }: { after: number; limit: number }) {
    return {
      events: this.events.filter(({ position }) => position > after).slice(0, limit),
      head: this.events.length,
    };
  }

  /** Looks at a thousand names of all accounts, or at all names of what changed. */
  belongings({
    after,
    changed_since: since,
  }: {
    after: { key: string } | null;
    changed_since?: number | undefined;
  }) {
    const changed = new Set(this.events.slice(since).map(({ stream_id }) => stream_id));
    const next = [...this.names]
      .map(([key, owner]) => ({ scope: 'folders', key, owner }))
      .filter(({ key, owner }) => key > (after?.key ?? '') && (since === undefined || changed.has(owner)))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const looked = next.slice(0, 1000);
    return {
      names: looked.filter(({ owner }) => changed.has(owner)),
      after: looked.length < next.length ? (looked.at(-1) ?? null) : null,
      next_ids: {},
      head: this.events.length,
    };
  }
}

async function exported(service: BusyService, onAsked: (name: string, times: number) => void) {
  const times = new Map<string, number>();
  const ask = async (name: string, question: { name: string }, input: never) => {
    const isBusy = name === 'assistants';
    if (isBusy) times.set(question.name, (times.get(question.name) ?? 0) + 1);
    const quiet = new BusyService();
    const asked = isBusy ? service : quiet;
    const value =
      question.name === readEvents.name
        ? asked.read(input)
        : question.name === readBelongings.name
          ? asked.belongings(input)
          : {};
    if (isBusy) onAsked(question.name, times.get(question.name) ?? 0);
    return { kind: 'ok', value };
  };
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await exportAccount({ ask } as unknown as Operator, 3);
  const lines = written.map((line) => JSON.parse(line));
  return {
    streams: new Set(lines.filter((line) => 'event_id' in line).map(({ stream_id }) => stream_id)),
    names: lines.flatMap(({ name }) => (name ? [name] : [])) as { key: string; owner: string }[],
    services: lines.filter((line) => 'next_ids' in line).map(({ service: name }) => name),
  };
}

test('names that come while the events are read are as little in the file as the streams that hold them', async () => {
  const service = new BusyService();
  service.change('folder-1', 'Sales');
  let made = 1;
  const { streams, names, services } = await exported(service, (question) => {
    if (question !== readEvents.name || made === 9) return;
    made += 1;
    service.change(`folder-${made}`, `Sales ${made}`);
  });
  expect([...streams]).toEqual(names.map(({ owner }) => owner));
  expect(services).toEqual(serviceNames);
});

test('names of an account that has few among many of others are in the file', async () => {
  const service = new BusyService();
  for (let index = 1; index <= 2_500; index += 1) service.names.set(`A ${index}`, `other-${index}`);
  service.change('folder-1', 'Sales');
  const { names } = await exported(service, () => undefined);
  expect(names.map(({ key }) => key)).toEqual(['Sales']);
});

test('names that change between two pages are in the file once, as their streams have them', async () => {
  const service = new BusyService();
  const padded = (index: number) => String(index).padStart(4, '0');
  for (let index = 1; index <= 1_001; index += 1) service.change(`folder-${index}`, padded(index));
  const { names } = await exported(service, (question, times) => {
    if (question === readBelongings.name && times === 1) service.change('folder-1', 'Renamed');
  });
  expect(names.map(({ key }) => key)).toEqual([
    ...Array.from({ length: 1_000 }, (_, index) => padded(index + 2)),
    'Renamed',
  ]);
});

test('names of as many streams as may change meanwhile are read again', async () => {
  const service = new BusyService();
  const nameAll = (title: string) => {
    for (let index = 0; index < 1_100; index += 1) service.change(`folder-${index}`, `${title} ${index}`);
  };
  nameAll('Sales');
  const { streams, names } = await exported(service, (question, times) => {
    if (question === readBelongings.name && times === 1) nameAll('Support');
  });
  expect(names.every(({ key }) => key.startsWith('Support'))).toBe(true);
  expect(new Set(names.map(({ owner }) => owner))).toEqual(streams);
});

test('an account that never rests has an end of its export, too', async () => {
  const service = new BusyService();
  for (let index = 0; index <= 1_000; index += 1) service.change(`folder-${index}`, `Sales ${index}`);
  const { streams, names } = await exported(service, (_, times) => {
    if (times > 100) throw new Error('It is asked without an end.');
    service.change('folder-0', `Renamed ${service.events.length}`);
    service.change(`folder-${service.events.length}`, `New ${service.events.length}`);
  });
  expect(new Set(names.map(({ owner }) => owner))).toEqual(streams);
  expect(names).toHaveLength(streams.size);
});
