import { expect, test, vi } from 'vitest';
import { LateAgent } from './late-agent.ts';

const nobody = 'http://127.0.0.1:1';

test('after a request that came while no file could be opened, as undici’s, the next one is sent', async () => {
  const agent = new LateAgent(() => ({}));
  vi.doMock('undici', () => {
    throw new Error('EMFILE: too many open files');
  });
  await expect(agent.request(nobody, {})).rejects.toMatchObject({ code: 'NOT_LOADED' });
  vi.doUnmock('undici');
  await expect(agent.request(nobody, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await agent.close();
});

test('it may be closed though nothing could be loaded', async () => {
  const agent = new LateAgent(() => {
    throw new Error('EMFILE: too many open files');
  });
  await expect(agent.request(nobody, {})).rejects.toThrow();
  await expect(agent.close()).resolves.toBeUndefined();
});

test.each(['close', 'destroy'] as const)('after %s requests are refused', async (end) => {
  const agent = new LateAgent(() => ({}));
  await agent[end]();
  await expect(agent.request(nobody, {})).rejects.toThrow(/client is (closed|destroyed)/);
});
