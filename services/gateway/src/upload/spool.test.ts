import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const limitBytes = 64 * 1024;

/**
 * A process of its own, within limits as `ulimit` sets them, takes a file of so many bytes; what became of it. Before, it
 * runs `first`.
 */
async function takeWithin(limits: string, bytes: number, first = ''): Promise<unknown> {
  const code = `
    import { openSync } from 'node:fs';
    import { buffer } from 'node:stream/consumers';
    import { Readable } from 'node:stream';
    import { Spool } from ${JSON.stringify(new URL('./spool.ts', import.meta.url).href)};
    const upload = Object.assign(Readable.from([Buffer.alloc(${bytes}, 'x')]), { headers: {}, socket: { bytesRead: 0 } });
    const pace = { bytesPerSecond: 0, windowMs: 60_000 };
    const spool = new Spool({ maxFiles: 1, maxFilesPerAccount: 1, pace, cutOff: () => undefined });
    ${first}
    const taken = await spool.take(upload, 1024 * 1024, 1).catch(({ code }) => ({ code }));
    console.log(JSON.stringify('code' in taken ? taken.code : (await buffer(taken.read())).length));
    process.exit();`;
  const node = [process.execPath, '--conditions=source', '--input-type=module', '--eval', code];
  const { stdout } = await run('bash', ['-c', `ulimit ${limits}; exec "$@"`, 'bash', ...node]);
  return JSON.parse(stdout);
}

const takeWhereDiskIsFull = (bytes: number) => takeWithin(`-f ${limitBytes / 1024}`, bytes);

test('a file of which the disk took a part only is not taken, and may be sent again when there is room', async () => {
  expect(await takeWhereDiskIsFull(limitBytes)).toBe(limitBytes);
  expect(await takeWhereDiskIsFull(limitBytes + 1)).toBe('unavailable');
});

test('a file that this process has no handle for is not taken, and may be sent again when there is one', async () => {
  const openAll = `try { for (;;) openSync('/dev/null'); } catch {}`;
  expect(await takeWithin('-n 256', 1, openAll)).toBe('unavailable');
});
