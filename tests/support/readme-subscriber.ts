import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The subscriber of the README, as a process of its own; what it prints, over all its lives. */
export class ReadmeSubscriber {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;

  constructor(natsUrl: string, name: string) {
    // Below a package that may use the client, so that its import is found.
    this.#folder = join(import.meta.dirname, '..', 'node_modules', `.${name}-${process.pid}`);
    this.#env = { NATS_URL: natsUrl, POSITIONS: join(this.#folder, 'positions.json') };
  }

  get events(): readonly { readonly event_id: string; readonly type: string }[] {
    return this.#lines.map((line) => JSON.parse(line));
  }

  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const file = join(this.#folder, 'subscriber.mjs');
    await writeFile(file, await exampleOfReadme());
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.#lines.push(...lines);
    });
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill(signal);
    await closed;
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** What the README shows, to the letter. */
export async function exampleOfReadme(): Promise<string> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  return /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
}
