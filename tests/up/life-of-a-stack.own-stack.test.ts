import { rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '@parley/embedded-servers';
import {
  createStackHome,
  eventually,
  findCommandLines,
  type RunningStack,
  startStack,
} from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runParley } from '../support/run-parley.ts';
import { createFolder, folderNames, ownerApi, recolorBehindTheBack } from './folders.ts';

/** One home through its whole life: each test goes on where the one before ended. */
let home: string;
let stack: RunningStack;

beforeAll(async () => {
  home = await createStackHome();
  stack = await startStack({ hasDemo: true, home, copies: { gateway: 2 } });
});

afterAll(async () => {
  await stack?.stop();
  await rm(home, { recursive: true, force: true });
});

const nobodyIsLeft = () => eventually(async () => expect(await findCommandLines(home)).toEqual([]));

test('an empty home comes up with one ready line that names the API, the console and a key that works', async () => {
  const lines = stack.output().match(/^ready .*$/gm);
  const [owner, empty] = stack.accounts;
  expect(lines).toEqual([`ready  ${stack.baseUrl}  console ${stack.baseUrl}/docs  key ${owner?.apiKey}`]);
  expect(empty?.email).toMatch(/@/);
  expect((await ownerApi(stack).get('/api/user/me')).status).toBe(200);
  expect(await folderNames(stack)).toEqual(['Support']);
  expect(stack.gatewayUrls).toHaveLength(2);
});

test('what holds secrets can be read by its owner alone', async () => {
  for (const file of ['demo.json', 'stack.json', 'home.json', 'logs/accounts.log']) {
    expect((await stat(join(home, file))).mode & 0o077, file).toBe(0);
  }
});

test('a second stack in the same home is refused with 1 and a reason', async () => {
  const second = await runParley(['up'], { PARLEY_HOME: home });
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`already running in ${home} (process ${stack.supervisorPid})`);
});

test('ports in use are all named, with what to set', async () => {
  const port = new URL(stack.baseUrl).port;
  const sandboxPort = new URL(stack.sandboxUrl).port;
  const other = await createStackHome();
  const refused = await runParley(['up'], { PARLEY_HOME: other, PORT: port, SANDBOX_PORT: sandboxPort });
  await rm(other, { recursive: true });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(new RegExp(`Port ${port} .*Set PORT`));
  expect(refused.stderr).toMatch(new RegExp(`Port ${sandboxPort} .*Set SANDBOX_PORT`));
});

test('a port that somebody takes while the stack comes up is named, with what to set, and nothing is left', async () => {
  const other = await createStackHome();
  const port = await findFreePort();
  const settings = { PARLEY_HOME: other, PORT: String(port), SANDBOX_PORT: '0', PARLEY_DEMO: 'false' };
  const ended = runParley(['up'], settings);
  // The ports were looked at before Postgres was started.
  await eventually(() => stat(join(other, 'logs', 'postgres.log')));
  const faster = createServer().listen(port, '127.0.0.1');
  const { code, stdout, stderr } = await ended;
  faster.close();
  await eventually(async () => expect(await findCommandLines(other)).toEqual([]));
  await rm(other, { recursive: true });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Port \d+ \(gateway\) is in use .*Set PORT /m)]);
  expect(stdout + stderr).not.toMatch(/^.*[│ ] +at .*$/m);
});

test('a home that cannot be used is refused with 1 and what to do', async () => {
  const notAFolder = join(home, 'home.json');
  const refused = await runParley(['up'], { PARLEY_HOME: notAFolder });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^The home \S+home\.json cannot be used: .+ set PARLEY_HOME to another folder\.\n$/,
  );
});

test.each(['assistants', 'gateway', 'nats', 'postgres'])(
  'after kill -9 of %s it is started again, and nothing acknowledged is lost',
  async (name) => {
    await createFolder(stack, `before ${name}`);
    const killed = await stack.signal(name, 'SIGKILL');
    await eventually(() => expect(stack.pidOf(name)).not.toBe(killed));
    await eventually(() => createFolder(stack, `after ${name}`));
    expect(await folderNames(stack)).toEqual(expect.arrayContaining([`before ${name}`, `after ${name}`]));
  },
);

test('a stop ends with 0 and leaves no process behind', async () => {
  await stack.stop();
  expect(await stack.exited).toBe(0);
  await nobodyIsLeft();
});

test('without a stack, a command that needs one ends with 3', async () => {
  expect((await runParley(['projections'], { PARLEY_HOME: home })).code).toBe(3);
});

test('a second start has the same data, also when the JetStream directory is gone', async () => {
  const keys = stack.accounts;
  await rm(join(home, 'nats'), { recursive: true });
  stack = await startStack({ hasDemo: true, home });
  expect(stack.accounts).toEqual(keys);
  expect(await folderNames(stack)).toEqual(expect.arrayContaining(['Support', 'after postgres']));
  const verification = await runParley(['verify'], { PARLEY_HOME: home });
  expect(verification.code, verification.stdout).toBe(0);
});

test('verify ends with 1 and names the row that drifted; a rebuild mends it', async () => {
  await recolorBehindTheBack(stack, 'Support');
  const drifted = await runParley(['verify', 'folders'], { PARLEY_HOME: home });
  expect(drifted.code).toBe(1);
  expect(drifted.stdout).toMatch(/1 differ/);
  expect(drifted.stdout).toMatch(/pink/);
  expect((await runParley(['rebuild', 'folders'], { PARLEY_HOME: home })).code).toBe(0);
  expect((await runParley(['verify', 'folders'], { PARLEY_HOME: home })).code).toBe(0);
});

test('a start after kill -9 of everything has every acknowledged folder', async () => {
  await createFolder(stack, 'before the end');
  await stack.killTree();
  stack = await startStack({ hasDemo: true, home });
  expect(await folderNames(stack)).toContain('before the end');
});

test('a supervisor that is killed alone takes its services along; the next start finds its servers and stops them', async () => {
  const servers = [stack.pidOf('postgres'), stack.pidOf('nats')];
  process.kill(stack.supervisorPid, 'SIGKILL');
  await eventually(async () => {
    const services = (await findCommandLines(home)).filter((line) => line.includes('/services/'));
    expect(services).toEqual([]);
  });
  stack = await startStack({ hasDemo: true, home });
  expect(servers).not.toContain(stack.pidOf('postgres'));
  expect(await folderNames(stack)).toContain('before the end');
  await stack.stop();
  await nobodyIsLeft();
});
