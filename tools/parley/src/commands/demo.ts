import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { seedDemo } from '../demo/seed-demo.ts';
import type { Operator } from '../operator/operator.ts';
import type { Settings } from '../settings.ts';
import { readStack } from '../stack-file.ts';

export interface DemoOptions {
  readonly baseUrl?: string;
  readonly sandboxUrl?: string;
  readonly via?: string;
  readonly sandboxVia?: string;
  /** Whether to print the keys; otherwise only where they are stored. */
  readonly json: boolean;
}

/** Makes the demo accounts on a running stack. */
export async function demo(operator: Operator, settings: Settings, options: DemoOptions): Promise<void> {
  const home = settings.PARLEY_HOME;
  const stack = await readStack(home);
  const baseUrl = options.baseUrl ?? stack?.base_url ?? `http://127.0.0.1:${settings.PORT}`;
  const sandboxUrl = options.sandboxUrl ?? stack?.sandbox_url ?? `http://127.0.0.1:${settings.SANDBOX_PORT}`;
  await mkdir(home, { recursive: true });
  const made = await seedDemo(operator, {
    home,
    baseUrl,
    sandboxUrl,
    via: options.via ?? baseUrl,
    sandboxVia: options.sandboxVia ?? sandboxUrl,
  });
  process.stdout.write(
    options.json
      ? `${JSON.stringify(made, null, 2)}\n`
      : `The demo accounts and their keys are in ${join(home, 'demo.json')}.\n`,
  );
}
