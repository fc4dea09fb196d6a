import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { findServiceOf } from './find-resource.ts';
import type { Operator } from './operator.ts';

afterEach(() => vi.restoreAllMocks());

/** Folders are of assistants, and conversations of messaging, which answers as it is told to. */
const operatorOf = (messaging: Promise<never>) =>
  ({
    ask: (service: string) =>
      service === 'messaging'
        ? messaging
        : Promise.resolve({ kind: 'ok', value: { resources: service === 'assistants' ? ['folder'] : [] } }),
  }) as unknown as Operator;

test('nobody waits for a service that has nothing to do with the resource, or is told that it does not answer', async () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const silent = Promise.withResolvers<never>();
  expect(await findServiceOf(operatorOf(silent.promise), 'folder/3')).toBe('assistants');
  silent.reject(new CommandFailed('messaging does not answer.', exitCodes.unreachable));
  await setImmediate();
  expect(told).not.toHaveBeenCalled();
});

test('a kind that no other service has may be one of the service that does not answer', async () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const silent = Promise.reject(new CommandFailed('messaging does not answer.', exitCodes.unreachable));
  const finding = findServiceOf(operatorOf(silent), 'conversation/3');
  await expect(finding).rejects.toMatchObject({
    exitCode: exitCodes.unreachable,
    message: expect.stringContaining('There is no resource "conversation". Known: folder.'),
  });
  expect(told).toHaveBeenCalledWith('messaging does not answer.\n');
});
