import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createStackHome, type RunningStack, type StackOptions, startStack } from '@parley/testing';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    preparedHome: string;
  }
}

/** Vitest global setup: what a stack has made when it was ready for the first time and stopped, for all that start later. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await createStackHome();
  const stack = await startStack({ home, env: project.config.env });
  await stack.stop();
  project.provide('preparedHome', home);
  return () => rm(home, { recursive: true, force: true });
}

/**
 * A stack of the test's own, for what its processes and clocks are put through. It begins with the databases of a stack
 * that nobody has used yet, which takes a third less time than `startStack`; whoever asks about first starts takes that.
 */
export async function startOwnStack(options: Omit<StackOptions, 'home'> = {}): Promise<RunningStack> {
  const home = await createStackHome();
  await copyDatabases(inject('preparedHome'), home);
  const stack = await startStack({ ...options, home });
  return {
    ...stack,
    async stop() {
      await stack.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** With the secrets that open them, without the ports: stacks that start side by side would want the same ones. */
async function copyDatabases(from: string, to: string): Promise<void> {
  const { postgres_password, secrets_keys } = JSON.parse(await readFile(join(from, 'home.json'), 'utf8'));
  await writeFile(join(to, 'home.json'), JSON.stringify({ postgres_password, secrets_keys }), {
    mode: 0o600,
  });
  // With their owner: where the tests run as root, Postgres does not.
  await promisify(execFile)('cp', ['-a', join(from, 'postgres'), to]);
}
