import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '@parley/embedded-servers';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { readStack } from '../stack-file.ts';
import { openHome } from './home.ts';
import { createStack } from './stack.ts';

/** A folder with a program that says what nats-server says, and does nothing. */
function pretendedNats(dir: string): string {
  const folder = join(dir, 'bin');
  mkdirSync(folder);
  const script = '#!/bin/sh\n[ "$1" = --version ] && exit\necho Server is ready\nexec sleep 600\n';
  writeFileSync(join(folder, 'nats-server'), script);
  chmodSync(join(folder, 'nats-server'), 0o755);
  return folder;
}

test('everything is stopped in order where the disk lets nothing be removed any more', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'parley-stack-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const said: string[] = [];
  const nothing = () => undefined;
  const stack = createStack({
    settings: loadSettings(),
    home: await openHome(join(dir, 'home')),
    instances: [],
    terminal: { say: (line) => said.push(line), log: nothing, hold: nothing, release: nothing },
    environment: { PATH: pretendedNats(dir) },
  });
  onTestFinished(() => stack.kill());
  await stack.startNats();
  await stack.announce();
  const { processes: [nats] = [] } = (await readStack(join(dir, 'home'))) ?? {};
  expect(nats?.name).toBe('nats');
  const stackFile = join(dir, 'home', 'stack.json');
  rmSync(stackFile);
  // A folder in its place refuses as a disk that can only be read does, also where the tests run as root.
  mkdirSync(stackFile);
  await stack.stop();
  expect(await identifyProcess(nats?.pid ?? 0)).toBeUndefined();
  expect(said.join()).toMatch(/stack\.json could not be removed/);
});
