import { expect, test } from 'vitest';
import { Aggregates } from '../aggregates/aggregates.ts';
import type { Decision, Fold, Rejected } from '../aggregates/decider.ts';
import { request, stream } from '../contract/requests.contract.ts';
import { newDatabase, openStore } from './testing.fixture.ts';

type Taken = { readonly type: 'Taken'; readonly data: { readonly amount: number } };
const left: Fold<number, Taken> = { initialState: 10, evolve: (sum, { data }) => sum - data.amount };
const takeOne: Decision<Taken> = { events: [{ type: 'Taken', data: { amount: 1 } }], reply: {} };

/** Commands on one stream, spread over three copies of a service at once. */
async function race(commands: number, decide: (sum: number) => Decision<Taken> | Rejected) {
  const url = await newDatabase();
  const stores = await Promise.all([openStore(url), openStore(url), openStore(url)]);
  const copies = stores.map((store) => new Aggregates(store));
  const streamId = stream();
  const { metadata } = request();
  const results = await Promise.all(
    Array.from({ length: commands / copies.length }, () =>
      copies.map((copy) =>
        copy.execute({
          streamId,
          category: 'thing',
          accountId: 7,
          fold: left,
          metadata,
          command: null,
          decide,
        }),
      ),
    ).flat(),
  );
  const events = (await stores[0]?.readStream(streamId)) ?? [];
  return {
    events,
    outcomes: results.map((result) => (result.kind === 'done' ? 'done' : result.rejection.code)),
  };
}

test('copies of a service never take more than there is', async () => {
  const { events, outcomes } = await race(60, (sum) => (sum < 1 ? { code: 'empty' } : takeOne));
  expect(events).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(10);
  expect(outcomes.filter((outcome) => outcome === 'empty').length).toBeGreaterThan(40);
});

test('copies that write one stream without pause all get their turn', async () => {
  const { events, outcomes } = await race(300, () => takeOne);
  expect(new Set(outcomes)).toEqual(new Set(['done']));
  expect(events).toHaveLength(300);
});
