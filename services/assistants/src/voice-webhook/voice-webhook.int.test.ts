import { getVoiceWebhook, setVoiceWebhook } from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 1);
});
afterAll(() => copies?.close());

const context = { accountId: 7, actor: { kind: 'api_key', id: '41' } } as const;
const get = (query: object = {}, accountId = 7) =>
  copies.send(getVoiceWebhook, query, { ...context, accountId });
const answer = (url: string | null, version: number) => ({
  kind: 'ok',
  body: JSON.stringify({ data: { url } }),
  version,
});

test('the voice webhook is shown as it is and as it was, to the account that has set it', async () => {
  expect(await get()).toEqual(answer(null, 0));
  const set = await copies.send(setVoiceWebhook, { url: 'https://example.com/calls' }, context);
  expect(await get()).toEqual(answer('https://example.com/calls', 1));
  await copies.send(setVoiceWebhook, { url: null }, { ...context, expectedVersion: 1 });
  expect(await get()).toEqual(answer(null, 2));
  const position = set.kind === 'ok' ? set.position : undefined;
  expect(await get({ as_of: String(position) })).toEqual(answer('https://example.com/calls', 1));
  expect(await get({ as_of: '2026-01-01T00:00:00Z' })).toEqual(answer(null, 0));
  expect(await get({ as_of: '2999-01-01T00:00:00Z' })).toMatchObject({ rejection: { code: 'invalid' } });
  expect(await get({}, 8)).toEqual(answer(null, 0));
});
