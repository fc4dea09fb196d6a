import { isDeepStrictEqual } from 'node:util';
import { events, type ServiceName } from '@parley/contracts';
import { golden } from './golden.ts';

interface AnyFold {
  readonly initialState: unknown;
  evolve(state: never, event: never): unknown;
}

/** From how many states of each length an event is tried. */
const maxStates = 300;

/**
 * Golden events of a service, of every version, that mean nothing to the fold of their category (`folder` of the stream
 * `folder-12`): they change none of the states that up to two others lead to. Without a fold, all of a category. Throws
 * what a fold throws: it takes whatever was written, in any order.
 */
export function passedOver(service: ServiceName, folds: Readonly<Record<string, AnyFold>>): string[] {
  const definitions = events.filter((event) => event.service === service);
  return [...Map.groupBy(definitions, ({ category }) => category)].flatMap(([category, ofCategory]) => {
    const names = ofCategory.flatMap(({ type, version }) =>
      Array.from({ length: version }, (_, index) => `${type}.v${index + 1}`),
    );
    const fold = folds[category];
    return fold ? unheeded(fold, names) : names;
  });
}

function unheeded({ initialState, evolve }: AnyFold, names: readonly string[]): string[] {
  const written = names.map((name) => ({ name, event: golden<never>(name)[0] as never }));
  const unheeded = new Set(names);
  let states: unknown[] = [initialState];
  for (let length = 0; length < 3; length += 1) {
    const next: unknown[] = [];
    for (const state of states)
      for (const { name, event } of written) {
        const after = evolve(state as never, event);
        if (isDeepStrictEqual(after, state)) continue;
        unheeded.delete(name);
        if (next.length < maxStates) next.push(after);
      }
    states = next;
  }
  return [...unheeded];
}
