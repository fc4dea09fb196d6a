import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exitCodes } from '../exit-codes.ts';
import { loadSettings } from '../settings.ts';
import { writeStack } from '../stack-file.ts';
import { connectOperator, findServers } from './operator.ts';

async function runningHome(nats_url: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'parley-home-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const urls = { base_url: '', gateway_urls: [], sandbox_url: '', nats_url, database_url: '' };
  await writeStack(home, { supervisor_pid: 1, ...urls, processes: [] });
  return home;
}

test('the stack is the one that runs in the home, or the one behind NATS_URL', async () => {
  const home = await runningHome('nats://parley:a@127.0.0.1:4222');
  const urlOf = (NATS_URL: string | undefined, PARLEY_HOME = home) => findServers({ NATS_URL, PARLEY_HOME });
  expect(await urlOf(undefined)).toBe('nats://parley:a@127.0.0.1:4222');
  expect(await urlOf('nats://operator:b@127.0.0.1:4222')).toBe('nats://operator:b@127.0.0.1:4222');
  expect(await urlOf('nats://nats-1:4222', join(home, 'none'))).toBe('nats://nats-1:4222');
  await expect(urlOf(undefined, join(home, 'none'))).rejects.toMatchObject({
    exitCode: exitCodes.unreachable,
  });
});

test('whoever may not read the home has the stack behind NATS_URL', async () => {
  const unread = join(await runningHome('nats://127.0.0.1:4222'), 'unread');
  await mkdir(join(unread, 'stack.json'), { recursive: true });
  expect(await findServers({ NATS_URL: 'nats://nats-1', PARLEY_HOME: unread })).toBe('nats://nats-1');
  await expect(findServers({ NATS_URL: undefined, PARLEY_HOME: unread })).rejects.toThrow('cannot be read');
});

test('where NATS_URL and the home lead to two stacks, neither is asked', async () => {
  const PARLEY_HOME = await runningHome('nats://parley:a@127.0.0.1:4222');
  await expect(findServers({ NATS_URL: 'nats://parley:b@nats-1:4222', PARLEY_HOME })).rejects.toMatchObject({
    exitCode: exitCodes.usage,
    message: expect.stringMatching(
      /^NATS_URL leads to nats:\/\/nats-1:4222, .* NATS at nats:\/\/127\.0\.0\.1:4222\./,
    ),
  });
});

test('who cannot reach NATS is told why', async () => {
  const settings = { ...loadSettings(), NATS_URL: 'nats://parley:secret@127.0.0.1:1' };
  const PARLEY_HOME = join(await runningHome(settings.NATS_URL), 'none');
  await expect(connectOperator({ ...settings, PARLEY_HOME })).rejects.toMatchObject({
    exitCode: exitCodes.unreachable,
    message: expect.stringMatching(/^NATS at nats:\/\/127\.0\.0\.1:1 cannot be reached: .*refused/i),
  });
});
