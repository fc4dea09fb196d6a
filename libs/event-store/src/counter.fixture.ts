import { Aggregates } from './aggregates/aggregates.ts';
import type { Decision, Fold } from './aggregates/decider.ts';
import type { ExecuteOptions } from './aggregates/execute-options.ts';
import type { ExecuteResult } from './aggregates/execute-result.ts';
import { stream } from './contract/requests.contract.ts';
import { createInMemoryEventStore } from './in-memory.ts';

export type Counted = { readonly type: 'Counted'; readonly data: { readonly by: number } };
export interface Count {
  readonly sum: number;
}
export interface Reply {
  readonly sum: number;
}

export const counting: Fold<Count, Counted> = {
  initialState: { sum: 0 },
  evolve: (state, { type, data }) => (type === 'Counted' ? { sum: state.sum + data.by } : state),
};

export const add =
  (by: number) =>
  ({ sum }: Count): Decision<Counted, Reply> => ({
    events: [{ type: 'Counted', data: { by } }],
    reply: { sum: sum + by },
  });

export const metadata = {
  correlationId: 'c',
  causationId: 'c',
  commandId: null,
  actor: { kind: 'system', id: 't' },
} as const;

type Options = ExecuteOptions<Count, Counted, Reply>;

/** A counter on an in-memory log, with a clock that stands still until it is set. */
export function newCounter() {
  const clock = { now: new Date('2026-11-21T10:00:00.000Z') };
  const store = createInMemoryEventStore({ now: () => clock.now });
  const aggregates = new Aggregates(store);
  const streamId = stream();
  const where = { streamId, category: 'thing', accountId: 7, metadata };
  return {
    clock,
    store,
    aggregates,
    streamId,
    execute: (
      decide: Options['decide'],
      overrides: Partial<Options> = {},
      on = aggregates,
    ): Promise<ExecuteResult> =>
      on.execute({ ...where, fold: counting, command: null, decide, ...overrides }),
    /** Counts as another process would: these aggregates do not know. */
    behind: (by: number) =>
      store.append({ ...where, events: [{ type: 'Counted', data: { by } }], expectedVersion: 'any' }),
  };
}
