import { type OperationDefinition, operations } from '@parley/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls, type TestAccount } from '../support/accounts.ts';
import { type Answer, createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRows } from '../support/database.ts';
import { notFoundBody } from '../support/error-bodies.ts';
import { examples, inField, ownIds, sendExample as send, unique } from '../support/examples.ts';

let revoked: Promise<string> | undefined;
/** One for all operations: a deletion is not answered at once. */
const revokedKey = (): Promise<string> => {
  revoked ??= createAndRevoke();
  return revoked;
};

async function createAndRevoke(): Promise<string> {
  const [api] = accountApis(await freshAccount());
  const { api_key } = (await api.post('/api/user/api-keys', { name: unique('Revoked') })).body as {
    api_key: { id: number; token: string };
  };
  await api.delete(`/api/user/api-keys/${api_key.id}`);
  return api_key.token;
}

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (name, operation) => {
    const example = examples[name];
    let victim: TestAccount;
    let stranger: TestAccount;

    beforeAll(async () => {
      victim = await freshAccount();
      stranger = await freshAccount();
    });

    test('has an example in this matrix', () => {
      expect(example).toBeDefined();
    });

    test('succeeds with the declared status and a body of the declared schema', async () => {
      const [api] = accountApis(victim);
      const id = example?.own ? await example.own(api) : 1;
      const ids = { body: await ownIds(example?.bodyIds, api), query: await ownIds(example?.queryIds, api) };
      const answer = await send(api, operation, example ?? {}, String(id), ids);
      expect(answer.status).toBe(operation.success.status);
      operation.success.schema.parse(answer.body);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers['x-request-id']).toBeTruthy();
    });

    test('refuses a missing, a malformed, an unknown and a revoked key', async () => {
      const url = gatewayUrls()[1] ?? '';
      for (const key of [undefined, '', 'nonsense', `parley_${'A'.repeat(43)}`, await revokedKey()]) {
        const answer = await send(comingBack(createApi(url, key)), operation, example ?? {}, '1');
        expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}']);
      }
    });

    for (const part of ['body', 'query'] as const)
      for (const field of Object.keys(example?.[`${part}Ids`] ?? {}))
        test(`answers the same bytes for a foreign and an unknown ${field}, and changes nothing`, async () => {
          const [owner] = accountApis(victim);
          const [other] = accountApis(stranger);
          const own = await ownIds(example?.[`${part}Ids`], other);
          const path = String(example?.own ? await example.own(other) : 1);
          const foreign = (await ownIds(example?.[`${part}Ids`], owner))[field];
          const answers = [];
          for (const id of [foreign, inField(field, 999_999_999)])
            answers.push(
              await send(other, operation, example ?? {}, path, { [part]: { ...own, [field]: id } }),
            );
          expect(answers.map(({ text }) => text)).toEqual([answers[0]?.text, answers[0]?.text]);
          expect([404, 422]).toContain(answers[0]?.status);
          expect(await eventsAtVictim(operation, victim, answers)).toEqual([]);
        });

    if (!operation.path.includes('{')) return;

    test('answers the same bytes for a foreign id, an unknown id and a malformed one, and changes nothing', async () => {
      const [owner] = accountApis(victim);
      const [other] = accountApis(stranger);
      const id = await example?.own?.(owner);
      const ids = [String(id), '999999999', 'abc', '0', '-1', '9223372036854775808', '1.5', '%00', '1e3'];
      const answers = [];
      for (const each of ids) answers.push(await send(other, operation, example ?? {}, each));
      for (const { status, text } of answers) {
        expect([status, text]).toEqual([404, answers[0]?.text]);
      }
      expect(answers[0]?.body).toEqual(notFoundBody(operation));
      expect(await eventsAtVictim(operation, victim, answers)).toEqual([]);
    });
  },
);

/** What the stranger's requests did to the victim; what its own earlier requests still lead to does not count. */
function eventsAtVictim(operation: OperationDefinition, { id }: TestAccount, answers: readonly Answer[]) {
  const requestIds = answers.map(({ headers }) => `'${headers['x-request-id']}'`);
  return readRows(
    operation.service,
    `select stream_id, type from es.events
     where account_id = ${id} and metadata ->> 'correlationId' in (${requestIds.join(', ')})`,
  );
}
