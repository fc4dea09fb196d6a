import { expect, test, vi } from 'vitest';
import { LateAgent } from './late-agent.ts';

test('after a request that came while no file could be opened, as undici’s, the next one is sent', async () => {
  const agent = new LateAgent(() => ({}));
  const nobody = () => agent.request('http://127.0.0.1:1', { method: 'GET' });
  vi.doMock('undici', () => {
    throw new Error('EMFILE: too many open files');
  });
  await expect(nobody()).rejects.toThrow('mocking a module');
  vi.doUnmock('undici');
  await expect(nobody()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
