import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { serviceNames } from '@parley/contracts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { folderEvent } from './folder-file.fixture.ts';
import { spoolExport } from './spool.ts';

/** A file of account 3 with one folder, which has such a name. */
function fileWith(name: string): string {
  const folder = folderEvent(1);
  const whole = [
    { service: 'assistants', ...folder, data: { ...folder.data, name } },
    ...serviceNames.map((service) => ({ service, next_ids: {} })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
  const sha256 = createHash('sha256').update(whole).digest('hex');
  return `${whole}${JSON.stringify({ end: { account_id: 3, events: 1, sha256 } })}\n`;
}

async function nameIn(input: Readable): Promise<unknown> {
  const spool = await spoolExport(input, () => undefined);
  onTestFinished(spool.close);
  const { value: folder } = await spool.read(3, 'assistants').next();
  return folder?.data.name;
}

const separators = 'a\u2028b\u2029c\u0085d\r\ne\u000b\u000c東京 🏢';

test('a line ends where it was ended, whatever else looks like the end of one', async () => {
  expect(await nameIn(Readable.from([fileWith(separators)]))).toBe(separators);
});

test('a file comes in pieces of any size', async () => {
  const bytes = Buffer.from(fileWith(separators));
  const pieces = Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1));
  expect(await nameIn(Readable.from(pieces, { objectMode: false }))).toBe(separators);
});

test('a file whose lines have come to end with two characters on the way is the same', async () => {
  expect(await nameIn(Readable.from([Buffer.from(fileWith('Sales').replaceAll('\n', '\r\n'))]))).toBe(
    'Sales',
  );
});

test('nothing of a file has a name on the disk: whatever ends the import, it is gone with it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-spool-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  vi.stubEnv('TMPDIR', dir);
  onTestFinished(() => void vi.unstubAllEnvs());
  const spool = await spoolExport(Readable.from([fileWith('Sales')]), () => undefined);
  onTestFinished(spool.close);
  expect(await readdir(dir)).toEqual([]);
  for (const time of ['first', 'second']) {
    const { value: folder } = await spool.read(3, 'assistants').next();
    expect([time, folder?.data.name]).toEqual([time, 'Sales']);
  }
});

test('a file that is one endless line is refused before it fills the memory', async () => {
  const zeros = Buffer.alloc(1024 * 1024);
  let pieces = 0;
  const endless = Readable.from(
    (function* () {
      while (pieces < 100) {
        pieces += 1;
        yield zeros;
      }
    })(),
  );
  await expect(spoolExport(endless, () => undefined)).rejects.toThrow('Line 1 is not a line of an export.');
  expect(pieces).toBeLessThan(40);
});
