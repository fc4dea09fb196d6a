import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OperationDefinition, operations } from '@parley/contracts';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Answer, Api } from '../support/api.ts';
import { examples, ownIds } from '../support/examples.ts';
import { reportFigure } from '../support/figures.ts';
import { residentMb } from '../support/memory.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { isContended, isSpecified } from '../support/specified.ts';
import { isNightly, seed } from '../support/tier.ts';
import { type GeneratedRequest, type KnownGood, requestsOf } from './requests.ts';

const total = Number(process.env.PARLEY_FUZZ_REQUESTS ?? (isNightly ? 100_000 : 2_000));
/** An answer that takes longer hangs; looked at at night, when nothing else computes. */
const hangMs = 2_000;
const perOperation = Math.ceil(total / operations.length);

interface Running {
  readonly name: string;
  readonly service: string;
  readonly pid: number;
}
/** Everything that runs: another process id would be a restart. */
const running = (): readonly Running[] =>
  JSON.parse(readFileSync(join(sharedStack().home, 'stack.json'), 'utf8')).processes;
const before = running();

/** What the gateways and services hold, after so many requests. */
const memory: { readonly requests: number; readonly mb: number }[] = [];
let sent = 0;
/** What took the longest to be answered, asked again for as long as the answer was to come back. */
let slowest = { ms: 0, operation: '' };
function sampleMemory(): void {
  const ours = running().filter(({ service }) => !['postgres', 'nats', 'sandbox'].includes(service));
  memory.push({ requests: sent, mb: residentMb(ours.map(({ pid }) => pid)) });
}

async function knownGood(operation: OperationDefinition, api: Api): Promise<KnownGood> {
  const example = examples[operation.name] ?? {};
  const query = Object.fromEntries(new URLSearchParams(example.query));
  return {
    id: String(example.own ? await example.own(api) : 1),
    body: { ...(await example.body?.()), ...(await ownIds(example.bodyIds, api)) },
    query: { ...query, ...(await ownIds(example.queryIds, api)) },
  };
}

async function send(api: Api, operation: OperationDefinition, request: GeneratedRequest): Promise<Answer> {
  const query = Object.entries(request.query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`,
  );
  const path = `${request.path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const askedAt = performance.now();
  const answer = await api.call(operation.method, path, {
    ...(request.body === null ? {} : { raw: request.body }),
    headers: request.headers,
  });
  const ms = performance.now() - askedAt;
  if (ms > slowest.ms) slowest = { ms, operation: operation.name };
  return answer;
}

describe(`seed ${seed} (PARLEY_SEED repeats it)`, () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    'whatever %s is asked, the contract knows the answer',
    async (name, operation) => {
      const [api] = accountApis(await freshAccount());
      const good = await knownGood(operation, api);
      await fc.assert(
        fc.asyncProperty(
          fc.array(requestsOf(operation, good), { minLength: 10, maxLength: 10 }),
          async (requests) => {
            const answers = await Promise.all(requests.map((request) => send(api, operation, request)));
            sent += requests.length;
            const surprises = answers.flatMap((answer, index) =>
              isSpecified(operation, answer) || isContended(answer)
                ? []
                : [`${answer.status} ${answer.text.slice(0, 300)} to ${JSON.stringify(requests[index])}`],
            );
            expect(surprises, name).toEqual([]);
          },
        ),
        { seed, numRuns: Math.ceil(perOperation / 10), endOnFailure: true },
      );
    },
    isNightly ? 600_000 : undefined,
  );
});

afterEach(sampleMemory);

afterAll(() => {
  const half = memory.slice(Math.floor(memory.length / 2));
  const [first, last] = [half[0], half.at(-1)];
  reportFigure(
    'F1',
    `${sent} requests to ${operations.length} operations, the slowest answered in ${slowest.ms.toFixed(0)} ms (${slowest.operation}); memory of all gateways and services ${memory[0]?.mb.toFixed(0)} MB at first, ${first?.mb.toFixed(0)} MB after ${first?.requests}, ${last?.mb.toFixed(0)} MB at the end; seed ${seed}`,
  );
  expect(running()).toEqual(before);
  if (isNightly) expect(slowest.ms, slowest.operation).toBeLessThan(hangMs);
});
