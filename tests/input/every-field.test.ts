import { randomInt } from 'node:crypto';
import { operations } from '@parley/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, type TestAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { readRows } from '../support/database.ts';
import { type Example, examples, ownIds, pathOf } from '../support/examples.ts';
import { isContended, isSpecified } from '../support/specified.ts';

const astral = '\u{1F4DE}';
/** JSON texts, because some of them cannot be written as values. */
const hostile: readonly string[] = [
  '"a\\u0000b"',
  '"a\\ud800b"',
  JSON.stringify('a\u202Eb'),
  JSON.stringify('a\u200Db'),
  JSON.stringify(astral.repeat(255)),
  JSON.stringify(astral.repeat(256)),
  JSON.stringify('x'.repeat(100_000)),
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '""',
  '" "',
  '"*"',
  '">"',
  '"."',
  '"\' OR 1=1 --"',
  '"{{1}}"',
  '"$1"',
  '"\\r\\nX-Evil: 1"',
  '"1"',
  '0',
  '-1',
  '1.5',
  '2147483648',
  '9007199254740993',
  '9223372036854775808',
  '1e21',
  '1e400',
  '-0',
  'true',
  'null',
  '[]',
  '{}',
  '[null]',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"prototype":{"polluted":1},"toString":1,"hasOwnProperty":null}',
];

const withBody = operations.filter(({ name, body }) => body && examples[name]?.csv === undefined);

/** The example's body with one field given as JSON text, duplicates left out. */
const bodyWith = (body: object, field: string, json: string): string => {
  const rest = Object.entries(body).filter(([key]) => key !== field);
  const members = rest.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${[...members, `${JSON.stringify(field)}:${json}`].join()}}`;
};

describe.each(withBody.map((operation) => [operation.name, operation] as const))(
  'the body of %s',
  (name, operation) => {
    const example: Example = examples[name] ?? {};
    let account: TestAccount;
    let api: Api;
    let body: object;
    let path: string;

    beforeAll(async () => {
      account = await freshAccount();
      [api] = accountApis(account);
      body = { ...(await example.body?.()), ...(await ownIds(example.bodyIds, api)) };
      path = pathOf(operation, String(example.own ? await example.own(api) : 1));
    });

    test.each(Object.keys(operation.body?.shape ?? {}))(
      'whatever is in %s, gets an answer that is specified',
      async (field) => {
        const answers = await Promise.all(
          hostile.map((json) => api.call(operation.method, path, { raw: bodyWith(body, field, json) })),
        );
        const surprises = answers.flatMap((answer, index) =>
          isSpecified(operation, answer) || isContended(answer)
            ? []
            : [`${hostile[index]?.slice(0, 40)}: ${answer.status} ${answer.text.slice(0, 200)}`],
        );
        expect(surprises).toEqual([]);
        for (const [index, { status }] of answers.entries())
          if (/\\u0000|\\ud800/.test(hostile[index] ?? '')) expect(status).toBe(422);
      },
    );

    test('with fields that nobody asked for is answered like one without them, and none of them is kept', async () => {
      const marker = randomInt(1e9, 2e9);
      const extra = {
        user_id: marker,
        account_id: marker,
        id: marker,
        status: `s${marker}`,
        balance: marker,
        ai_enabled: `a${marker}`,
        deleted_at: `d${marker}`,
        polluted: marker,
        toString: marker,
        constructor: { prototype: { polluted: marker } },
      };
      const unasked = Object.entries(extra).filter(([field]) => !(field in (operation.body?.shape ?? {})));
      const answer = await api.call(operation.method, path, {
        body: { ...Object.fromEntries(unasked), ...body },
      });
      expect(isSpecified(operation, answer), answer.text).toBe(true);
      expect(answer.text).not.toContain('polluted');
      const kept = await readRows(
        operation.service,
        'select type, data from es.events where account_id = $1 and strpos(data::text, $2) > 0',
        [account.id, String(marker)],
      );
      expect(kept).toEqual([]);
    });
  },
);

test('no object anywhere has learned a field from all that', async () => {
  const [api] = accountApis(await freshAccount());
  for (const url of ['/api/user/me', '/api/user/folders', '/api/user/assistants/get']) {
    const { status, text } = await api.get(url);
    expect([status, text.includes('polluted')]).toEqual([200, false]);
  }
});
