import { execFile } from 'node:child_process';
import { get } from 'node:http';
import { promisify } from 'node:util';
import { demoPartNames } from '../demo/part-names.ts';
import { type Demo, readDemo, writeDemo } from '../demo-file.ts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';

const run = promisify(execFile);

export interface DemoPlace {
  readonly home: string;
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface EnsuredDemo {
  readonly demo: Demo;
  /** Why a part of the demo is missing. The rest can be used, and the next start tries again. */
  readonly fault?: string;
}

/**
 * Makes the demo accounts when they are missing, in a process of its own, so that the supervisor stays small. On
 * later starts a single request shows that they exist. Throws `CommandFailed` when no demo could be made at all.
 */
export async function ensureDemo({
  home,
  baseUrl,
  sandboxUrl,
  environment,
}: DemoPlace): Promise<EnsuredDemo> {
  const known = await readDemo(home);
  if (known && demoPartNames.every((name) => known.parts.includes(name)) && (await works(known, baseUrl))) {
    const current = { ...known, base_url: baseUrl, sandbox_url: sandboxUrl };
    if (known.base_url !== baseUrl || known.sandbox_url !== sandboxUrl) await writeDemo(home, current);
    return { demo: current };
  }
  const [node = '', program = ''] = process.argv;
  const failure = await run(node, [program, 'demo'], {
    env: { ...environment, PARLEY_HOME: home, NO_COLOR: '1' },
  }).then(
    () => undefined,
    (cause: Error & { readonly stderr?: string }) => ({ cause, why: cause.stderr?.trim() || cause.message }),
  );
  const demo = await readDemo(home);
  if (demo) return failure ? { demo, fault: failure.why } : { demo };
  if (!failure) throw new Error('The demo accounts were made, but demo.json is missing.');
  const { cause, why } = failure;
  throw new CommandFailed(`The demo accounts could not be made: ${why}`, exitCodes.negative, { cause });
}

/** The first key is accepted: the database still is the one that the demo accounts were made in. */
const works = ({ accounts: [first] }: Demo, baseUrl: string): Promise<boolean> =>
  new Promise((resolve) => {
    if (!first) return resolve(false);
    const request = get(`${baseUrl}/api/user/me`, {
      headers: { authorization: `Bearer ${first.api_key}` },
      timeout: 10_000,
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
