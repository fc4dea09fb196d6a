import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

/** A process of its own that has used much memory, and then tells how much it holds: MiB, line by line. */
async function* heldByChild(afterwards: string): AsyncGenerator<number> {
  const module = new URL('./idle-memory.ts', import.meta.url).href;
  const code = `
    import { giveMemoryBackWhenIdle } from ${JSON.stringify(module)};
    const tell = () => console.log(Math.round(process.memoryUsage().heapTotal / 2 ** 20));
    let lists = Array.from({ length: 80 }, () => Array.from({ length: 10_000 }, (_, n) => ({ n })));
    tell();
    lists = undefined;
    giveMemoryBackWhenIdle(100);
    setInterval(tell, 200);
    ${afterwards}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) yield Number(line);
  await once(child, 'exit');
}

test('a process without work gives back what it used before', async () => {
  let most = 0;
  for await (const held of heldByChild('')) {
    most = Math.max(most, held);
    if (held < most / 2) break;
  }
  expect(most).toBeGreaterThan(30);
});

test('a process that works is left alone', async () => {
  // Never idle, also where the system lets it wait for a core.
  const busy = `
    const work = () => {
      for (const end = performance.now() + 8; performance.now() < end;);
      setImmediate(work);
    };
    work();`;
  const seen: number[] = [];
  for await (const held of heldByChild(busy)) if (seen.push(held) === 8) break;
  expect(Math.min(...seen)).toBeGreaterThan(30);
});
