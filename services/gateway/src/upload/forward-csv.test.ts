import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvRow, importLeads } from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { describe, expect, test } from 'vitest';
import { forwardCsv } from './forward-csv.ts';
import { SpooledFile } from './spool.ts';

const uploadId = '6f6f3d7e-6c1e-4c55-9df2-0d1f0e1d5a01';
const context: MessageContext = {
  accountId: 1,
  actor: { kind: 'api_key', id: '1' },
  commandId: uploadId,
  fingerprint: 'of the file',
  correlationId: uploadId,
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 10_000,
};
const { csv } = importLeads;
if (!csv) throw new Error('Leads are not imported from a file.');

interface Asked {
  readonly name: string;
  readonly commandId: string | null;
  readonly chunk?: number;
  readonly rows?: readonly CsvRow[];
}
const done: BusReply = { kind: 'ok', body: '{}' };
const isRows = ({ rows }: Asked) => rows !== undefined;

/** Hands `text` over to a service that has `known` chunks of it already and answers as `answer` says. */
function forward(text: string, answer: (asked: Asked) => BusReply | Promise<BusReply>, known = 0) {
  const bytes = Buffer.from(text);
  const source = { read: 0, isClosed: false };
  function* pieces() {
    for (let at = 0; at < bytes.length; at += 65_536) {
      source.read = Math.min(bytes.length, at + 65_536);
      yield bytes.subarray(at, source.read);
    }
  }
  const stream = Readable.from(pieces(), { objectMode: false });
  stream.once('close', () => {
    source.isClosed = true;
  });
  const asked: Asked[] = [];
  const reply = forwardCsv({
    operation: importLeads,
    csv: csv as NonNullable<typeof csv>,
    file: new SpooledFile(
      'hash',
      async () => text.slice(0, 100),
      () => stream,
      async () => undefined,
    ),
    input: { campaign_id: 7 },
    context,
    ask: async ({ name }, payload, { commandId }) => {
      const { chunk, rows } = payload as Pick<Asked, 'chunk' | 'rows'>;
      const message = { name, commandId, ...(rows && { chunk, rows }) };
      asked.push(message);
      return name === csv?.begin.name
        ? { kind: 'ok', body: JSON.stringify({ chunks: known }) }
        : await answer(message);
    },
  });
  return { reply, asked, source };
}

const header = 'phone_number,name\n';
const fileOf = (rows: number) =>
  header + Array.from({ length: rows }, (_, n) => `+4915100${n},Lead ${n}\n`).join('');

test('a file is begun, handed over row by row in its order, and concluded', async () => {
  const { reply, asked, source } = forward(fileOf(1_200), () => done);
  expect(await reply).toEqual(done);
  expect(asked.map(({ name, chunk }) => [name, chunk])).toEqual([
    ['begin-lead-import', undefined],
    ['import-lead-rows', 0],
    ['import-lead-rows', 1],
    ['import-lead-rows', 2],
    ['import-leads', undefined],
  ]);
  const rows = asked.flatMap((message) => message.rows ?? []);
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 1_200 }, (_, n) => n + 2));
  expect(source.isClosed).toBe(true);
});

describe.each([
  ['short rows', fileOf(60_000)],
  ['long rows', `${header}${`bad,${'x'.repeat(400)}\n`.repeat(4_000)}`],
])('a file of %s', (_, file) => {
  test('is read as it is taken, a chunk at a time', async () => {
    let atOnce = 0;
    let taken = 0;
    const { reply, asked, source } = forward(file, async ({ rows = [] }) => {
      atOnce += 1;
      // Whatever would be read ahead is read now.
      for (let turn = 0; turn < 8; turn += 1) await nextTurn();
      expect(atOnce).toBe(1);
      expect(source.read - taken).toBeLessThan(2 ** 19);
      taken += rows.reduce((sum, row) => sum + ('cells' in row ? row.cells.join().length + 1 : 0), 0);
      atOnce -= 1;
      return done;
    });
    expect(await reply).toEqual(done);
    expect(taken + header.length).toBe(Buffer.byteLength(file));
    for (const { rows = [] } of asked.filter(isRows)) {
      expect(rows.length).toBeLessThanOrEqual(500);
      expect(JSON.stringify(rows).length).toBeLessThan(2 ** 17);
    }
  });
});

test('a file sent again goes on where an earlier try broke off, under the same ids', async () => {
  const first = forward(fileOf(1_200), () => done);
  await first.reply;
  const again = forward(fileOf(1_200), () => done, 2);
  await again.reply;
  const lastChunk = first.asked.filter(({ chunk }) => chunk === undefined || chunk === 2);
  expect(again.asked).toEqual(lastChunk);
  expect(new Set(first.asked.map(({ commandId }) => commandId)).size).toBe(first.asked.length);
});

test('a chunk that is refused ends it, and the file is read no further', async () => {
  const refusal: BusReply = {
    kind: 'rejected',
    rejection: { code: 'unavailable', retryAfterSeconds: 5 },
  };
  const { reply, asked, source } = forward(fileOf(60_000), ({ chunk }) => (chunk === 1 ? refusal : done));
  expect(await reply).toEqual(refusal);
  expect(asked.filter(isRows)).toHaveLength(2);
  await nextTurn();
  expect(source.isClosed).toBe(true);
  expect(source.read).toBeLessThan(2 ** 19);
});
