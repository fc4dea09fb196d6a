import { operations } from '@parley/contracts';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { examples } from '../support/examples.ts';
import { catalogueIds, references, sendReference } from './references.ts';

/** No explanation names when it was made. */
const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'then');

test('every id that an operation takes in its body or query has a row here or in the matrix', () => {
  const forgotten = operations.flatMap(({ name, body, query }) => {
    const { bodyIds = {}, queryIds = {} } = examples[name] ?? {};
    return [
      ...Object.keys(body?.shape ?? {}).filter((field) => !(field in bodyIds)),
      ...Object.keys(query?.shape ?? {}).filter((field) => !(field in queryIds)),
    ]
      .filter((field) => /(_ids?|^id|^resource)$/.test(field) && !catalogueIds.includes(field))
      .filter((field) => !references.some((row) => row.operation === name && row.field === field))
      .map((field) => `${name}: ${field}`);
  });
  expect(forgotten).toEqual([]);
});

test('every row belongs to an operation', () => {
  const names = new Set(operations.map(({ name }) => name));
  const rows = [...Object.keys(examples), ...references.map(({ operation }) => operation)];
  expect(rows.filter((name) => !names.has(name))).toEqual([]);
});

test.each(references)(
  '$operation answers the same for a foreign and an unknown $field',
  async ({ operation: name, field, own, ask }) => {
    const operation = operations.find((each) => each.name === name);
    if (!operation) throw new Error(`${name} is no operation.`);
    const [owner] = accountApis(await freshAccount());
    const [stranger] = accountApis(await freshAccount());
    const foreign = await own(owner);
    const unknown =
      typeof foreign === 'number'
        ? 999_999_999
        : `${foreign.slice(0, -1)}${foreign.endsWith('0') ? '1' : '0'}`;
    expect(unknown).not.toBe(foreign);
    const answers = [];
    for (const id of [foreign, unknown]) {
      const answer = await sendReference(stranger, operation, await ask(stranger, id));
      const text = withoutTimes(answer.text).replaceAll(`"${field}":${id}`, `"${field}":"the id"`);
      answers.push([answer.status, text]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect([200, 404, 422]).toContain(answers[0]?.[0]);
    if (operation.kind === 'command') expect(answers[0]?.[0]).not.toBe(200);
  },
);
