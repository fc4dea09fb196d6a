import { listReactors } from '@parley/contracts';
import type { z } from 'zod';
import { askAll, expectAll } from '../operator/ask-all.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { firstLine, toJson } from '../output/json.ts';
import { renderTable } from '../output/table.ts';

type Told = z.output<typeof listReactors.output>['reactors'][number];

type Reactor = Omit<Told, 'lag_seconds'> & {
  readonly service: string;
  /** By how many events and for how long it is behind; null where the log cannot be read. */
  readonly lag: number | null;
  readonly lag_seconds: number | null;
};

/** Every reactor with how far behind its log it is; throws `CommandFailed` (3) in the end where a service did not answer. */
export async function printReactors(operator: Operator, { json }: { readonly json: boolean }): Promise<void> {
  const answers = await askAll(async (service) => {
    const { reactors } = expectOk(await operator.ask(service, listReactors, {}), service);
    return reactors.map((reactor) => ({ ...reactor, service, ...lagOf(reactor) }));
  });
  const reactors = answers.flatMap(({ value }) => value);
  process.stdout.write(`${json ? toJson(reactors, 2) : tableOf(reactors)}\n`);
  expectAll(answers);
}

const lagOf = ({ error, head, lag_seconds, position }: Told) =>
  error === null ? { lag: head - position, lag_seconds } : { lag: null, lag_seconds: null };

function tableOf(reactors: readonly Reactor[]): string {
  const rows = reactors.map(({ service, name, follows, position, lag, lag_seconds, next, error }) => [
    service,
    name,
    follows ?? service,
    position,
    lag,
    lag_seconds,
    standsAt(next, error),
  ]);
  const headers = ['SERVICE', 'REACTOR', 'FOLLOWS', 'POSITION', 'LAG', 'SECONDS', 'STANDS AT'];
  return renderTable(headers, rows, process.stdout);
}

function standsAt(next: Reactor['next'], error: string | null): string {
  if (error !== null) return firstLine(error);
  return next === null ? '-' : `${next.type} ${next.stream_id}, position ${next.position}`;
}
