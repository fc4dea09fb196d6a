import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '@parley/embedded-servers';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { readStack } from '../stack-file.ts';
import { openHome } from './home.ts';
import { createStack } from './stack.ts';

/** A folder with a program that does what the script says in place of nats-server. */
function pretendedNats(dir: string, script: string): string {
  const folder = join(dir, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'nats-server'), `#!/bin/sh\n[ "$1" = --version ] && exit\n${script}\n`);
  chmodSync(join(folder, 'nats-server'), 0o755);
  return folder;
}

/** A stack whose nats-server does what the script says, and all that its terminal shows. */
async function stackWith(natsScript: string) {
  const dir = mkdtempSync(join(tmpdir(), 'parley-stack-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const said: string[] = [];
  const nothing = () => undefined;
  const stack = createStack({
    settings: loadSettings(),
    home: await openHome(join(dir, 'home')),
    instances: [],
    terminal: {
      say: (line) => said.push(line),
      log: (name, { text }) => said.push(`${name} ${text}`),
      hold: nothing,
      release: nothing,
    },
    environment: { PATH: pretendedNats(dir, natsScript) },
  });
  onTestFinished(() => stack.kill());
  return { dir, said, stack };
}

test('a server that cannot be started is named once, with what it said and where its log is', async () => {
  const { dir, said, stack } = await stackWith('echo bad configuration; exit 1');
  await expect(stack.startNats()).rejects.toThrow(
    `nats ended with 1 before it was ready\nbad configuration\nIts log is ${join(dir, 'home', 'logs', 'nats.log')}.`,
  );
  expect(said).toContain('nats ended with 1 before it was ready; next start in 0.1 s');
});

test('everything is stopped in order where the disk lets nothing be removed any more', async () => {
  const { dir, said, stack } = await stackWith('echo Server is ready\nexec sleep 600');
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
