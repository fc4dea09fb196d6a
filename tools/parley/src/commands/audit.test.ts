import { getHistory } from '@parley/contracts';
import { afterEach, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import type { Operator } from '../operator/operator.ts';
import { printAudit } from './audit.ts';

afterEach(() => vi.restoreAllMocks());

const versions = 1_001;
type Asked = z.output<typeof getHistory.input>;
const asked: Asked[] = [];

/** Has a folder that was renamed a thousand times, and answers no more than a page at a time. */
const operator = {
  async ask(service: string, { name }: { name: string }, input: Asked) {
    if (name !== getHistory.name)
      return { kind: 'ok', value: { resources: service === 'assistants' ? ['folder'] : [] } };
    asked.push(input);
    const { before_version: before, limit } = input.page ?? { before_version: null, limit: versions };
    if (limit > 500) return { kind: 'rejected', rejection: { code: 'internal' } };
    const newest = Math.min(versions, (before ?? versions + 1) - 1);
    const oldest = Math.max(1, newest - limit + 1);
    const changes = Array.from({ length: newest - oldest + 1 }, (_, index) => ({
      version: newest - index,
      before: {},
      after: {},
    }));
    return {
      kind: 'ok',
      value: { resource: input.resource, changes, next_before: oldest > 1 ? oldest : null },
    };
  },
} as unknown as Operator;

/** What is written of a history of one change. */
async function shownOf(before: object, after: object): Promise<string> {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const change = { version: 4, event: 'StepSucceeded', summary: 'A step of a run succeeded.', before, after };
  const about = { occurred_at: '2026-11-21T09:30:00.000000Z', actor: { kind: 'automation', id: '7' } };
  const changes = [{ ...change, ...about, request_id: 'r' }];
  const ofOne = {
    ask: async (_: string, { name }: { name: string }) => ({
      kind: 'ok',
      value: name === getHistory.name ? { changes, next_before: null } : { resources: ['run'] },
    }),
  } as unknown as Operator;
  await printAudit(ofOne, 'run/12', { json: false });
  return written.join('');
}

test('of a field that holds others it is shown what has changed in it, however much it holds', async () => {
  const steps = { ask: { status: 'SUCCEEDED' }, tell: { status: 'RUNNING', error: null } };
  const shown = await shownOf({ steps }, { steps: { ...steps, tell: { status: 'SUCCEEDED', error: null } } });
  expect(shown).toMatch(/^ {4}steps\.tell\.status {2}"RUNNING" -> "SUCCEEDED"$/m);
  expect(shown).not.toMatch(/ask|error/);
});

test('what begins as nothing is not shown as a change', async () =>
  expect(await shownOf({}, { id: '12', paused_until: null })).toMatch(/\n {4}id {2}- -> "12"\n$/));

test('a history of any length is asked for by pages, and shown from its beginning', async () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  await printAudit(operator, 'folder/12', { actor: 'api_key:3', json: true });
  const shown = JSON.parse(written.join(''));
  expect(shown).toMatchObject({ resource: 'folder/12' });
  expect(shown.changes.map(({ version }: { version: number }) => version)).toEqual(
    Array.from({ length: versions }, (_, index) => index + 1),
  );
  expect(asked.every(({ resource, actor }) => resource === 'folder/12' && actor === 'api_key:3')).toBe(true);
});
