import { afterEach, expect, test, vi } from 'vitest';
import type { Operator } from '../operator/operator.ts';
import { folderEvent } from '../transfer/folder-file.fixture.ts';
import { printTrace } from './trace.ts';

afterEach(() => vi.restoreAllMocks());

/** Of a request that led to more in assistants than a service tells at once. */
const operator = {
  ask: async (service: string) => ({
    kind: 'ok',
    value: { events: service === 'assistants' ? [folderEvent(1)] : [], is_cut: service === 'assistants' },
  }),
} as unknown as Operator;

async function traced(json: boolean) {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  await printTrace(operator, 'request-1', { json });
  return written;
}

test('what led to more than is shown is not told as all that it led to', async () => {
  const { stdout, stderr } = await traced(false);
  expect(stdout).toContain('FolderCreated');
  expect(stderr).toBe('Of assistants only the first events are shown: there are more.\n');
  expect(JSON.parse((await traced(true)).stdout)).toMatchObject({ is_cut: true });
});
