import { listDeadLetters } from '@parley/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { Answer, Operator } from '../operator/operator.ts';
import { discardDeadLetters, printDeadLetters, retryDeadLetters } from './dead-letters.ts';

let written: string;
beforeEach(() => {
  written = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

type Outcome = 'done' | 'failed' | 'gone' | 'silent' | 'old';

const error = 'Error: no \u001b[2J such \u202e thing\n    at echo';

const rejected = (code: string, details?: { reason: string }): Answer<never> => ({
  kind: 'rejected',
  rejection: { code, ...(details && { details }) },
});

interface Input {
  readonly id: number;
  readonly after: number;
  readonly limit: number;
}

/** Assistants has letters with ids from 1 on; what becomes of each is given. No answer holds more than `most`. */
const operatorOf = (outcomes: readonly Outcome[], most = Number.POSITIVE_INFINITY) =>
  ({
    async ask(service: string, { name }: { name: string }, input: Input) {
      if (name === listDeadLetters.name) {
        const { after, limit } = input;
        const all = service === 'assistants' ? outcomes.map((_, n) => ({ id: n + 1 })) : [];
        const letters = all.slice(after, after + limit);
        if (letters.length > most) return rejected('internal', { reason: 'reply_too_large' });
        const rest = { processor: 'reactor:echo', position: 1, event_id: 'e', event: null, attempts: 5 };
        const about = { ...rest, error, given_up_at: '2026-11-21T09:30:00.000Z' };
        return { kind: 'ok', value: { dead_letters: letters.map((letter) => ({ ...letter, ...about })) } };
      }
      switch (outcomes[input.id - 1]) {
        case 'done':
          return { kind: 'ok', value: { outcome: 'done' } };
        case 'failed':
          return { kind: 'ok', value: { outcome: 'failed', error } };
        case 'silent':
          throw new CommandFailed(`${service} does not answer.`, exitCodes.unreachable);
        case 'old':
          return rejected('unavailable', { reason: 'no_handler' });
        default:
          return rejected('not_found');
      }
    },
  }) as unknown as Operator;

const retried = (outcomes: readonly Outcome[], json = false) =>
  retryDeadLetters(operatorOf(outcomes), ['all'], { json });

test('each is tried again, whatever becomes of the others, and those that failed are counted apart', async () => {
  await expect(retried(['silent', 'gone', 'failed', 'done'])).rejects.toMatchObject({
    exitCode: exitCodes.negative,
    message: '2 of 4 events failed, and 1 could not be tried.',
  });
  expect(written.split('\n')).toEqual([
    'assistants/1  could not be tried: assistants does not answer.',
    'assistants/2  failed: assistants: Not found.',
    'assistants/3  failed: Error: no \ufffd[2J such \ufffd thing',
    'assistants/4  done',
    '',
  ]);
});

test('each is discarded, whatever becomes of the others', async () => {
  const discarding = discardDeadLetters(operatorOf(['gone', 'silent', 'done']), ['all']);
  await expect(discarding).rejects.toMatchObject({
    exitCode: exitCodes.negative,
    message: '1 of 3 events failed, and 1 could not be tried.',
  });
  expect(written.split('\n')).toEqual([
    'assistants/1  failed: assistants: Not found.',
    'assistants/2  could not be tried: assistants does not answer.',
    'assistants/3  discarded',
    '',
  ]);
});

test('where nothing was given up, each of the commands says so', async () => {
  await printDeadLetters(operatorOf([]), { json: false });
  await retried([]);
  await discardDeadLetters(operatorOf([]), ['all']);
  expect(written).toBe('No event was given up.\n'.repeat(3));
});

test('what could not be tried has not failed: a copy of an older release says so', async () => {
  await expect(retried(['done', 'old'])).rejects.toMatchObject({ exitCode: exitCodes.unreachable });
  expect(written).toContain(
    'assistants/2  could not be tried: assistants: The copy that was asked is of a release',
  );
});

test('all outcomes are told as JSON, also where one is a "no"', async () => {
  await expect(retried(['gone', 'done'], true)).rejects.toMatchObject({ exitCode: exitCodes.negative });
  expect(JSON.parse(written)).toEqual([
    { letter: 'assistants/1', outcome: 'failed', error: 'assistants: Not found.' },
    { letter: 'assistants/2', outcome: 'done' },
  ]);
});

test('an error that quotes others moves no cursor and turns no text around', async () => {
  await printDeadLetters(operatorOf(['done']), { json: false });
  expect(written).toContain('Error: no \ufffd[2J such \ufffd thing\n');
  written = '';
  await printDeadLetters(operatorOf(['done']), { json: true });
  expect(written).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  expect(JSON.parse(written)).toMatchObject([{ error }]);
});

test('they are listed also where their errors are more than one answer holds', async () => {
  await printDeadLetters(operatorOf(Array(10).fill('done'), 3), { json: true });
  expect(JSON.parse(written)).toHaveLength(10);
});
