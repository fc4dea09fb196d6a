import { type OperationDefinition, operations } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { isFaultOf } from '../support/error-bodies.ts';
import { examples, ownIds, sendExample } from '../support/examples.ts';
import { comparable, newestEvent } from '../support/snapshots.ts';

const lookingBack = operations.filter(({ query }) => Object.hasOwn(query?.shape ?? {}, 'as_of'));

/** What an account has from the beginning, or has none of: it is not missing before anything happened to it, but empty. */
const emptyBefore = new Map<string, unknown>([
  ['get-payment-method', null],
  ['get-voice-webhook', { url: null }],
  ['list-balance-transactions', []],
]);

/** A request of the operation's example on something that the account has, with `as_of`. */
async function prepare(api: Api, operation: OperationDefinition) {
  const example = examples[operation.name] ?? {};
  const id = String(example.own ? await example.own(api) : 1);
  const query = await ownIds(example.queryIds, api);
  return (asOf?: string, as = api) =>
    sendExample(as, operation, example, id, {
      query: { ...query, ...(asOf !== undefined && { as_of: encodeURIComponent(asOf) }) },
    });
}

test.each(lookingBack.map((operation) => [operation.name, operation] as const))(
  '%s answers as of any moment, not before there was anything, and not of the future',
  async (name, operation) => {
    const [api] = accountApis(await freshAccount());
    const ask = await prepare(api, operation);
    await eventually(async () => {
      const asOfNow = await ask(await newestEvent(api));
      expect(comparable(asOfNow.body)).toEqual(comparable((await ask()).body));
      expect(asOfNow.status).toBe(200);
      operation.success.schema.parse(asOfNow.body);
    });
    const namesAResource = operation.path.includes('{') || operation.query?.shape.resource !== undefined;
    if (namesAResource) {
      const [stranger] = accountApis(await freshAccount());
      expect((await ask(await newestEvent(api), stranger)).status).toBe(404);
    }
    for (const early of ['2020-01-01T00:00:00Z', '0']) {
      const before = await ask(early);
      expect(before.status).toBe(emptyBefore.has(name) ? 200 : 404);
      if (before.status === 404) expect(before.text).not.toContain('as_of');
      else expect(before.body).toMatchObject({ data: emptyBefore.get(name) });
    }
    for (const wrong of ['yesterday', '2999-01-01T00:00:00Z', '999999999999', '-1', '2026-11-21']) {
      const refused = await ask(wrong);
      expect([wrong, refused.status]).toEqual([wrong, 422]);
      expect(isFaultOf(operation, 422, refused.body)).toBe(true);
      expect(refused.body).toMatchObject({ errors: { as_of: [expect.any(String)] } });
    }
  },
);
