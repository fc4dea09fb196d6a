import { expect, test } from 'vitest';
import { answerJson, graphError, graphServer } from './graph-server.fixture.ts';

const ref = { phoneNumberId: '11', accountId: '7' };

test('our app is subscribed to the account of a number', async () => {
  const { whatsApp, asked } = await graphServer((response) => answerJson(response, 200, { success: true }));
  expect(await whatsApp.subscribe(ref)).toEqual({ kind: 'ok', value: null });
  expect(asked).toMatchObject([
    { method: 'POST', path: '/v23.0/7/subscribed_apps', authorization: 'Bearer the-token' },
  ]);
});

test.each([
  ['our token may not', 403, graphError(200), 'rejected'],
  ['nothing says that it has been', 200, { success: false }, 'unknown'],
])('it is not where %s', async (_, status, body, kind) => {
  const { whatsApp } = await graphServer((response) => answerJson(response, status, body));
  expect(await whatsApp.subscribe(ref)).toMatchObject({ kind });
});
