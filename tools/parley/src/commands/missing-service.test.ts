import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { Operator } from '../operator/operator.ts';
import { folderEvent } from '../transfer/folder-file.fixture.ts';
import { printDeadLetters } from './dead-letters.ts';
import { printEvents } from './events.ts';
import { printProjections } from './projections.ts';
import { printReactors } from './reactors.ts';
import { printTrace } from './trace.ts';

let shown: string;
beforeEach(() => {
  shown = '';
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    shown += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

/** Each service has one event, that it gave up, one view and one reactor; messaging does not answer. */
const operator = {
  async ask(service: string) {
    if (service === 'messaging')
      throw new CommandFailed(`${service} does not answer.`, exitCodes.unreachable);
    const letter = { id: 1, processor: 'reactor:echo', event_id: 'e', event: null, attempts: 5, error: 'no' };
    const view = { name: 'view', version: 1, position: 1, head: 1, status: 'live' };
    const dead_letters = [{ ...letter, given_up_at: '2026-11-21T09:30:00.000Z' }];
    const lag = {
      name: 'echo',
      follows: null,
      position: 1,
      head: 1,
      next: null,
      lag_seconds: 0,
      error: null,
    };
    const listed = { dead_letters, projections: [view], reactors: [lag] };
    return { kind: 'ok', value: { events: [folderEvent(1)], head: 1, ...listed } };
  },
} as unknown as Operator;

const filter = { streamId: undefined, types: [], accountId: undefined };

test.each([
  ['events', () => printEvents(operator, { filter, after: 0, follow: false, json: true }, never)],
  ['dead letters', () => printDeadLetters(operator, { json: false })],
  ['views', () => printProjections(operator, { json: false })],
  ['reactors', () => printReactors(operator, { json: false })],
  ['a trace', () => printTrace(operator, 'request-1', { json: false })],
])('where a service does not answer %s of the others are shown, and the status tells', async (_, show) => {
  await expect(show()).rejects.toMatchObject({ exitCode: exitCodes.unreachable });
  expect(shown.split('\n').length).toBeGreaterThan(4);
});

const never = new AbortController().signal;
