import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { startLocalServer } from '@parley/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { reportFigure } from '../support/figures.ts';

const checkout = join(import.meta.dirname, '..', '..');
const report = z.object({
  metadata: z.object({ vulnerabilities: z.object({ high: z.int(), critical: z.int() }) }),
});

/**
 * What the audit says, on whichever output: it ends with 1 for findings as well as when it could not ask. Of another
 * registry where one is given.
 */
const audit = (...options: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile('pnpm', ['audit', '--prod', '--json', ...options], { cwd: checkout }, (_, stdout, stderr) =>
      resolve(stdout.trim() || stderr.trim()),
    );
  });

const graveOnes = (answer: string) => {
  const { high, critical } = report.parse(JSON.parse(answer)).metadata.vulnerabilities;
  return { high, critical };
};

test('S8: no package that is delivered has a known vulnerability that is high or critical', async ({
  skip,
}) => {
  const answer = await audit();
  if (answer.includes('ERR_PNPM_AUDIT_BAD_RESPONSE')) {
    const reason = answer.replaceAll(/[\s×│]+/g, ' ').slice(0, 200);
    reportFigure('S8', `audit not run: the registry does not answer it (${reason})`);
    return skip(reason);
  }
  const found = graveOnes(answer);
  reportFigure(
    'S8',
    `known vulnerabilities of what is delivered: ${found.critical} critical, ${found.high} high`,
  );
  expect(found).toEqual({ high: 0, critical: 0 });
});

test('S8: the audit sees what a registry knows of a package that is delivered', async () => {
  const advisory = {
    id: 1,
    url: 'https://example.com/GHSA-1',
    title: 'Canary',
    vulnerable_versions: '*',
    cwe: [],
  };
  const url = await startLocalServer((request, response) => {
    request.resume();
    const fastify = ['critical', 'high', 'low'].map((severity, id) => ({ ...advisory, id, severity }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ fastify }));
  });
  expect(graveOnes(await audit(`--registry=${url}`))).toEqual({ high: 1, critical: 1 });
});
