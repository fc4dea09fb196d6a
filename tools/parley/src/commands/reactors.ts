import { listReactors } from '@parley/contracts';
import type { z } from 'zod';
import { askAll, expectAll } from '../operator/ask-all.ts';
import { expectOk, type Operator } from '../operator/operator.ts';
import { firstLine, toJson } from '../output/json.ts';
import { renderTable } from '../output/table.ts';

type Reactor = z.output<typeof listReactors.output>['reactors'][number] & {
  readonly service: string;
  readonly lag: number;
};

/** Every reactor with how far behind its log it is; throws `CommandFailed` (3) in the end where a service did not answer. */
export async function printReactors(operator: Operator, { json }: { readonly json: boolean }): Promise<void> {
  const answers = await askAll(async (service) => {
    const { reactors } = expectOk(await operator.ask(service, listReactors, {}), service);
    return reactors.map((reactor) => ({ ...reactor, service, lag: reactor.head - reactor.position }));
  });
  const reactors = answers.flatMap(({ value }) => value);
  process.stdout.write(`${json ? toJson(reactors, 2) : tableOf(reactors)}\n`);
  expectAll(answers);
}

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
