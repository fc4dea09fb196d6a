import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedDemo } from '../demo/seed-demo.ts';
import type { Operator } from '../operator/operator.ts';
import type { Settings } from '../settings.ts';
import { readStack } from '../stack-file.ts';

/** Makes the demo accounts on a running stack. Says where the keys are, never what they are. */
export async function demo(
  operator: Operator,
  settings: Settings,
  given: { readonly baseUrl?: string; readonly sandboxUrl?: string },
): Promise<void> {
  const home = settings.PARLEY_HOME;
  const stack = await readStack(home);
  await mkdir(home, { recursive: true });
  await seedDemo(operator, {
    home,
    baseUrl: given.baseUrl ?? stack?.base_url ?? `http://127.0.0.1:${settings.PORT}`,
    sandboxUrl: given.sandboxUrl ?? stack?.sandbox_url ?? `http://127.0.0.1:${settings.SANDBOX_PORT}`,
  });
  process.stdout.write(`The demo accounts and their keys are in ${join(home, 'demo.json')}.\n`);
}
