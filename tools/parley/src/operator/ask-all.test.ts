import { serviceNames } from '@parley/contracts';
import { expect, test } from 'vitest';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { askAll, askEvery, notFound } from './ask-all.ts';
import { expectOk } from './operator.ts';

const withoutMessaging = async (service: string) => {
  if (service === 'messaging') throw new CommandFailed('messaging does not answer.', exitCodes.unreachable);
  return service;
};

test('what needs every service fails when one does not answer', async () => {
  await expect(askEvery(withoutMessaging)).rejects.toMatchObject({ exitCode: 3 });
  expect((await askEvery(async (service) => service)).map(({ value }) => value)).toEqual(serviceNames);
});

test('nothing is "not there" while a service that may have it does not answer', async () => {
  const some = await askAll(withoutMessaging);
  expect(some).toHaveLength(serviceNames.length - 1);
  expect(notFound(some, 'There is no resource "sender".')).toMatchObject({ exitCode: 3 });
  const all = await askAll(async (service) => service);
  expect(notFound(all, 'There is no resource "ship".')).toMatchObject({
    exitCode: 1,
    message: 'There is no resource "ship".',
  });
});

test('a service that is there and cannot look, as without its database, has not said no', async () => {
  const refusal = (code: string) => expectOk({ kind: 'rejected', rejection: { code } }, 'messaging');
  for (const code of ['unavailable', 'timeout', 'internal'])
    expect(() => refusal(code)).toThrow(expect.objectContaining({ exitCode: exitCodes.unreachable }));
  for (const code of ['not_found', 'contended'])
    expect(() => refusal(code)).toThrow(expect.objectContaining({ exitCode: exitCodes.negative }));
  const some = await askAll(async (service) => (service === 'messaging' ? refusal('unavailable') : service));
  expect(some).toHaveLength(serviceNames.length - 1);
});
