import { erasePerson, forgetErased, getErasure } from '@parley/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandFailed } from '../exit-codes.ts';
import type { Operator } from '../operator/operator.ts';
import { erase } from './erase.ts';

let told: string;
beforeEach(() => {
  told = '';
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

/** Messaging has these keys of the person, the other services have none. */
const operatorOf = (
  keys: readonly string[],
  leftovers: readonly object[] = [],
  record = vi.fn(),
  failing?: string,
  forget = vi.fn(),
) => {
  const ok = (value: object) => ({ kind: 'ok', value });
  return {
    async ask(service: string, { name }: { name: string }) {
      if (name === erasePerson.name && service === failing)
        return { kind: 'rejected', rejection: { code: 'unavailable' } };
      if (name === forgetErased.name) forget(service);
      if (name !== getErasure.name) return ok({});
      const subject_ids = service === 'messaging' ? keys : [];
      return ok({ status: 'done', step: '', subject_ids, leftovers, error: null });
    },
    tell: async (_message: object, { subject_ids }: { subject_ids: string[] }) => {
      record(subject_ids);
      return ok({});
    },
  } as unknown as Operator;
};

test('whoever mistyped the number of a person hears that nobody was there under it', async () => {
  const person = { account: 1, subject: '+491701234567' };
  await erase(operatorOf(['a']), person, { json: false });
  expect(told).toBe('');
  await erase(operatorOf([]), person, { json: false });
  expect(told).toMatch(/^Nobody was on record under \+491701234567: /);
});

test('what was destroyed is on record before it is told, also when something is left or the disk is full', async () => {
  const person = { account: 1, subject: '+491701234567' };
  const record = vi.fn();
  const left = [{ table: 'view_leads_v1', rows: 1 }];
  await expect(erase(operatorOf(['a'], left, record), person, { json: false })).rejects.toThrow(/not gone/);
  expect(record.mock.calls).toEqual([[['a']]]);
  await expect(erase(operatorOf([], left, record), person, { json: false })).rejects.toThrow(/not gone/);
  expect(record).toHaveBeenCalledOnce();
  vi.mocked(process.stdout.write).mockImplementation(() => {
    throw new Error('The process ends here.');
  });
  await expect(erase(operatorOf(['b'], [], record), person, { json: false })).rejects.toThrow(/ends here/);
  expect(record).toHaveBeenLastCalledWith(['b']);
});

test('what services have destroyed is told and on record also where another one fails meanwhile', async () => {
  const person = { account: 1, subject: '+491701234567' };
  const record = vi.fn();
  const erasing = erase(operatorOf(['a'], [], record, 'telephony'), person, { json: false });
  await expect(erasing).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/gone from telephony/),
  });
  expect(record.mock.calls).toEqual([[['a']]]);
  expect(String(vi.mocked(process.stdout.write).mock.calls)).toMatch(/✔ messaging {2}1 key.*✘ telephony/s);
});

test('services are to know the keys that they have destroyed until these are on record', async () => {
  const person = { account: 1, subject: '+491701234567' };
  const forget = vi.fn();
  const record = vi.fn().mockImplementationOnce(() => {
    throw new CommandFailed('accounts does not answer.', 3);
  });
  const erasing = () => erase(operatorOf(['a'], [], record, undefined, forget), person, { json: false });
  await expect(erasing()).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/erase again/),
  });
  expect(String(vi.mocked(process.stdout.write).mock.calls)).toMatch(/✔ messaging {2}1 key/);
  expect(forget).not.toHaveBeenCalled();
  record.mockImplementationOnce(() => expect(forget).not.toHaveBeenCalled());
  await erasing();
  expect(forget.mock.calls).toEqual([['messaging']]);
});
