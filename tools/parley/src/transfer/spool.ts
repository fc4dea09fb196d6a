import type { FileHandle } from 'node:fs/promises';
import { linesOf } from '@parley/embedded-servers';
import { openNameless } from '@parley/process-kit';
import { LineCheck } from './check-lines.ts';
import { type ExportedEvent, exportedEvent } from './lines.ts';

/** A file that was looked through to its end and is as it was exported, with its events apart by service. */
export interface Spool {
  readonly accounts: LineCheck['accounts'];
  /** One service's events of one account, in order. */
  read(accountId: number, service: string): AsyncGenerator<ExportedEvent>;
  close(): Promise<void>;
}

/**
 * Reads all of `input` into files: nothing is imported before the last line was checked. They hold people's numbers, and
 * have no name from the start: whatever ends this process, they go with it.
 */
export async function spoolExport(input: NodeJS.ReadableStream, onLine: () => void): Promise<Spool> {
  const check = new LineCheck();
  const files = new Map<string, FileHandle>();
  const close = async () => {
    for (const file of files.values()) await file.close();
  };
  // Until its end comes, nobody vouches for a part.
  const nameOf = (part: number, service: string) => `${part} ${service}`;
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
        const name = nameOf(part, line.service);
        const file = files.get(name) ?? (await openNameless('import'));
        files.set(name, file);
        await file.appendFile(`${text}\n`);
      }
    }
    check.finish();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    accounts: check.accounts,
    async *read(accountId, service) {
      const file = files.get(nameOf(parts.get(accountId) ?? -1, service));
      if (!file) return;
      for await (const text of linesOf(file.createReadStream({ start: 0, autoClose: false })))
        yield exportedEvent.parse(JSON.parse(text));
    },
    close,
  };
}
