import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesOf } from '@parley/embedded-servers';
import { LineCheck } from './check-lines.ts';
import { type ExportedEvent, exportedEvent } from './lines.ts';

/** A file that was looked through to its end and is as it was exported, with its events apart by service. */
export interface Spool {
  readonly accounts: LineCheck['accounts'];
  /** One service's events of one account, in order. */
  read(accountId: number, service: string): AsyncGenerator<ExportedEvent>;
  close(): Promise<void>;
}

/** Reads all of `input` into files that are gone after `close`: nothing is imported before the last line was checked. */
export async function spoolExport(input: NodeJS.ReadableStream, onLine: () => void): Promise<Spool> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-import-'));
  const close = () => rm(dir, { recursive: true, force: true });
  const check = new LineCheck();
  const files = new Map<string, FileHandle>();
  // Until its end comes, nobody vouches for a part.
  const pathOf = (part: number, service: string) => join(dir, `${part}-${service}.jsonl`);
  const parts = new Map<number, number>();
  let part = 0;
  try {
    for await (const text of linesOf(input)) {
      if (text === '') continue;
      const line = check.add(text);
      onLine();
      if ('end' in line) {
        parts.set(line.end.account_id, part);
        part += 1;
      } else if ('event_id' in line) {
        const path = pathOf(part, line.service);
        const file = files.get(path) ?? (await open(path, 'a', 0o600));
        files.set(path, file);
        await file.appendFile(`${text}\n`);
      }
    }
    check.finish();
  } catch (error) {
    await close();
    throw error;
  } finally {
    for (const file of files.values()) await file.close();
  }
  return {
    accounts: check.accounts,
    async *read(accountId, service) {
      const path = pathOf(parts.get(accountId) ?? -1, service);
      if (!files.has(path)) return;
      for await (const text of linesOf(createReadStream(path))) yield exportedEvent.parse(JSON.parse(text));
    },
    close,
  };
}
