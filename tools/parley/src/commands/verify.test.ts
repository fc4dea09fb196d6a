import { getVerification, listProjections, verifyProjection } from '@parley/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import type { Operator } from '../operator/operator.ts';
import { verify } from './verify.ts';

type Verification = z.output<typeof getVerification.output>;

const same: Verification = { status: 'done', rows: 7, differences: [], error: null };
const different: Verification = {
  ...same,
  differences: [{ table: 'folders', key: '12', live: '{"id":12}', expected: null }],
};
const failed: Verification = { status: 'failed', rows: 0, differences: [], error: 'The disk is full.' };

let written: string;
beforeEach(() => {
  written = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

/** Verifies what assistants has: its views by name, `busy` ones are being rebuilt, of `gone` ones nobody answers. */
function verified(
  views: Readonly<Record<string, Verification | 'busy' | 'gone'>>,
  json = false,
): Promise<void> {
  const operator = {
    async ask(service: string, { name }: { name: string }, { projection = '' }: { projection?: string }) {
      const view = views[projection];
      switch (name) {
        case listProjections.name: {
          const projections = service === 'assistants' ? Object.keys(views) : [];
          return { kind: 'ok', value: { projections: projections.map((name) => ({ name })) } };
        }
        case verifyProjection.name:
          return view === 'busy'
            ? {
                kind: 'rejected',
                rejection: { code: 'contended', message: `${projection} is being rebuilt.` },
              }
            : { kind: 'ok', value: { started: true } };
        default:
          if (view === 'gone') throw new CommandFailed(`${service} does not answer.`, exitCodes.unreachable);
          return { kind: 'ok', value: view };
      }
    },
  } as unknown as Operator;
  return verify(operator, undefined, { json });
}

test('views that differ and views that could not be verified are counted apart', async () => {
  const verifying = verified({ folders: different, labels: failed, leads: same, campaigns: 'busy' });
  await expect(verifying).rejects.toMatchObject({
    exitCode: exitCodes.negative,
    message: '1 of 4 projections differ from their events, and 2 could not be verified.',
  });
  expect(written).toContain('assistants/labels  could not be verified: The disk is full.');
  expect(written).toContain('assistants/leads  7 rows, no difference');
  expect(written).toContain('assistants/campaigns  could not be verified: campaigns is being rebuilt.');
});

test('what could not be verified is not told as a difference', async () => {
  await expect(verified({ folders: same, labels: failed }, true)).rejects.toMatchObject({
    exitCode: exitCodes.unreachable,
    message: '1 of 2 projections could not be verified.',
  });
  expect(JSON.parse(written)).toMatchObject([
    { service: 'assistants', projection: 'folders', status: 'done' },
    { service: 'assistants', projection: 'labels', status: 'failed' },
  ]);
});

test('a service that is gone for a while costs the verification of one of its views', async () => {
  await expect(verified({ folders: same, leads: 'gone', labels: same }, true)).rejects.toMatchObject({
    exitCode: exitCodes.unreachable,
    message: '1 of 3 projections could not be verified.',
  });
  expect(JSON.parse(written)).toMatchObject([
    { projection: 'folders', status: 'done' },
    { projection: 'leads', status: 'failed', error: 'assistants does not answer.' },
    { projection: 'labels', status: 'done' },
  ]);
});

test('a difference alone is told as one', async () => {
  await expect(verified({ folders: different, labels: same })).rejects.toMatchObject({
    exitCode: exitCodes.negative,
    message: '1 of 2 projections differ from their events.',
  });
});
