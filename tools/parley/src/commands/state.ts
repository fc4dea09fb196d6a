import { getState } from '@parley/contracts';
import type { z } from 'zod';
import type { Moment } from '../moment.ts';
import { findServiceOf } from '../operator/find-resource.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { toJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { redact } from '../output/redact.ts';
import { formatTime } from '../output/time.ts';
import { differences, inline, outline } from '../output/value.ts';

export interface StateOptions {
  readonly at: Moment;
  /** Shows what is different at this moment. */
  readonly diff?: Moment;
  readonly json: boolean;
}

type State = z.output<typeof getState.output>;

/** The folded state of one resource at a moment, or what differs between two. */
export async function printState(operator: Operator, resource: string, options: StateOptions): Promise<void> {
  const service = await findServiceOf(operator, resource);
  const read = async (at: Moment) => {
    const state = expectOk(await operator.ask(service, getState, { resource, at }), resource);
    return { ...state, state: redact(state.state) };
  };
  const state = await read(options.at);
  if (!options.diff) {
    print(options.json ? state : [renderHead(state), ...outline(state.state, '  ')]);
    return;
  }
  const other = await read(options.diff);
  const changes = differences(state.state, other.state);
  if (options.json) print({ resource, from: state, to: other, changes });
  else print([renderHead(state), renderHead(other), ...renderChanges(changes)]);
}

function print(content: readonly string[] | object): void {
  const text = Array.isArray(content) ? content.join('\n') : toJson(content, 2);
  process.stdout.write(`${text}\n`);
}

function renderHead({ resource, version, position, recorded_at }: State): string {
  const parts = [paint('bold', resource), `version ${version}`, `position ${position}`];
  if (recorded_at) parts.push(paint('dim', formatTime(recorded_at)));
  return parts.join('  ');
}

function renderChanges(changes: ReturnType<typeof differences>): readonly string[] {
  if (changes.length === 0) return ['  no difference'];
  const width = Math.max(...changes.map(({ path }) => path.length));
  return changes.map(
    ({ path, before, after }) =>
      `  ${path.padEnd(width)}  ${paint('red', inline(before))} -> ${paint('green', inline(after))}`,
  );
}
