import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OperationDefinition, operations } from '@parley/contracts';
import fc from 'fast-check';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Answer, Api } from '../support/api.ts';
import { examples, ownIds } from '../support/examples.ts';
import { isSpecified } from '../support/specified.ts';
import { type GeneratedRequest, type KnownGood, requestsOf } from './requests.ts';

const isNightly = process.env.PARLEY_TEST_TIER === 'nightly';
const total = isNightly ? 100_000 : 4_000;
const perOperation = Math.ceil(total / operations.length);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);

/** Process ids of everything that runs: another one would be a restart. */
const running = (): unknown => {
  const stack = JSON.parse(readFileSync(join(inject('stack').home, 'stack.json'), 'utf8'));
  return stack.processes.map(({ name, pid }: { name: string; pid: number }) => [name, pid]);
};
const before = running();

async function knownGood(operation: OperationDefinition, api: Api): Promise<KnownGood> {
  const example = examples[operation.name] ?? {};
  const query = Object.fromEntries(new URLSearchParams(example.query));
  return {
    id: String(example.own ? await example.own(api) : 1),
    body: { ...(await example.body?.()), ...(await ownIds(example.bodyIds, api)) },
    query: { ...query, ...(await ownIds(example.queryIds, api)) },
  };
}

function send(api: Api, operation: OperationDefinition, request: GeneratedRequest): Promise<Answer> {
  const query = Object.entries(request.query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`,
  );
  return api.call(operation.method, `${request.path}${query.length > 0 ? `?${query.join('&')}` : ''}`, {
    ...(request.body === null ? {} : { raw: request.body }),
    headers: request.headers,
  });
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
            const surprises = answers.flatMap((answer, index) =>
              isSpecified(operation, answer)
                ? []
                : [`${answer.status} ${answer.text.slice(0, 300)} to ${JSON.stringify(requests[index])}`],
            );
            expect(surprises, name).toEqual([]);
          },
        ),
        { seed, numRuns: Math.ceil(perOperation / 10), endOnFailure: true },
      );
    },
    isNightly ? 600_000 : 60_000,
  );
});

afterAll(() => {
  expect(running()).toEqual(before);
});
