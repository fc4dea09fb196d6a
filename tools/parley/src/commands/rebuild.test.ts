import { listProjections } from '@parley/contracts';
import { expect, test } from 'vitest';
import { exitCodes } from '../exit-codes.ts';
import type { Operator } from '../operator/operator.ts';
import { rebuild } from './rebuild.ts';

test('a rebuild that failed is told with its reason', async () => {
  const failed = { name: 'folders', status: 'failed', error: 'NotProjected: cannot take it\n    at fill' };
  const operator = {
    async ask(service: string, { name }: { name: string }) {
      if (name !== listProjections.name) return { kind: 'ok', value: { started: true } };
      return { kind: 'ok', value: { projections: service === 'assistants' ? [failed] : [] } };
    },
  } as unknown as Operator;
  await expect(rebuild(operator, 'folders', { json: false })).rejects.toMatchObject({
    exitCode: exitCodes.negative,
    message: expect.stringMatching(/the live one was kept\. NotProjected: cannot take it$/),
  });
});
