import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { reportFigure } from '../support/figures.ts';

const checkout = join(import.meta.dirname, '..', '..');
const report = z.object({
  metadata: z.object({ vulnerabilities: z.object({ high: z.int(), critical: z.int() }) }),
});

/** What the audit says, on whichever output: it ends with 1 for findings as well as when it could not ask. */
const audit = (): Promise<string> =>
  new Promise((resolve) => {
    execFile('pnpm', ['audit', '--prod', '--json'], { cwd: checkout }, (_, stdout, stderr) =>
      resolve(stdout.trim() || stderr.trim()),
    );
  });

test('S8: no package that is delivered has a known vulnerability that is high or critical', async ({
  skip,
}) => {
  const answer = await audit();
  const parsed = report.safeParse(jsonOf(answer));
  if (!parsed.success) {
    const reason = answer.replaceAll(/[\s×│]+/g, ' ').slice(0, 200);
    reportFigure('S8', `audit not run: the registry does not answer it (${reason})`);
    return skip(reason);
  }
  const { high, critical } = parsed.data.metadata.vulnerabilities;
  reportFigure('S8', `known vulnerabilities of what is delivered: ${critical} critical, ${high} high`);
  expect({ high, critical }).toEqual({ high: 0, critical: 0 });
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
