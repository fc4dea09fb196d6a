import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from './service-process.ts';

/** A service that says so often that it is starting, every one and a half seconds, and is ready then. */
async function startSaying(times: number) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-service-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const entry = join(dir, 'main.mjs');
  const code = `
    let left = ${times};
    setInterval(() => process.send({ type: left-- > 0 ? 'starting' : 'ready' }), 1_500);`;
  await writeFile(entry, times === 0 ? 'setInterval(() => undefined, 1000);' : code);
  return startService({
    ...{ entry, homeArgument: '--parley-home=nowhere', env: {}, onLog: () => undefined },
    abort: new AbortController().signal,
    // A busy machine takes its time to start a process.
    readyTimeoutMs: times === 0 ? 1_000 : 8_000,
  });
}

test('a service that says that it gets on with its start is waited for', async () => {
  const service = await startSaying(8);
  await service.stop();
  expect(await service.exited).toEqual({ code: null, signal: 'SIGTERM' });
});

test('a service that says nothing is killed', async () => {
  await expect(startSaying(0)).rejects.toThrow('ended with SIGKILL before it was ready');
});
