import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ctrlS = '\x13';
/** util-linux runs a command on a terminal of its own; other systems have another `script`, or none. */
const hasTerminals = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

test.skipIf(!hasTerminals)('a process goes on while its terminal takes nothing', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-terminal-'));
  onTestFinished(() => rm(dir, { recursive: true, maxRetries: 5 }));
  const said = join(dir, 'said');
  const program = join(dir, 'program.mjs');
  await writeFile(
    program,
    `import { appendFileSync } from 'node:fs';
    import { neverWaitFor } from '${import.meta.dirname}/never-wait.ts';
    neverWaitFor(process.stdout);
    setInterval(() => { appendFileSync('${said}', '.'); process.stdout.write('here\\n'); }, 20);`,
  );
  const command = `exec "${process.execPath}" "${program}"`;
  const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void terminal.kill());
  await new Promise((resolve) => terminal.stdout.once('data', resolve));
  terminal.stdin.write(ctrlS);
  const count = async () => (await readFile(said, 'utf8')).length;
  const before = await count();
  await expect.poll(count).toBeGreaterThan(before + 50);
});
