import {
  type CsvRow,
  type CsvUpload,
  type InternalMessage,
  type OperationDefinition,
  reject,
} from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { v5 } from 'uuid';
import { delimiterOf, inChunks, readCsvRows } from './csv-rows.ts';
import type { SpooledFile } from './spool.ts';

/** A file on its way to the service, and how to reach the service. */
export interface CsvForwarding {
  readonly operation: OperationDefinition;
  readonly csv: CsvUpload;
  readonly file: SpooledFile;
  /** Path and query of the request, validated. */
  readonly input: object;
  readonly context: MessageContext;
  readonly ask: (
    message: OperationDefinition | InternalMessage,
    payload: object,
    context: MessageContext,
  ) => Promise<BusReply>;
}

/**
 * Sends a file to the service chunk by chunk, each after the answer to the one before. Each chunk's command id is
 * made from the upload's, so that a file sent again goes on where an earlier try broke off and no row counts twice.
 * Resolves with the first rejection, or with the answer to the operation itself.
 */
export async function forwardCsv({
  operation,
  csv,
  file,
  input,
  context,
  ask,
}: CsvForwarding): Promise<BusReply> {
  const uploadId = context.commandId;
  if (uploadId === null) throw new Error(`${operation.name} is no command.`);
  const rows = readCsvRows(file.read(), delimiterOf(await file.beginning(), csv.column));
  try {
    const { value: header } = await rows.next();
    if (header && 'fault' in header) return unreadable(header);
    const beginning = { ...input, upload_id: uploadId, columns: header?.cells ?? [] };
    const begun = await ask(csv.begin, beginning, { ...context, commandId: v5('begin', uploadId) });
    if (begun.kind === 'rejected') return begun;
    const { chunks: known } = csv.begin.output.parse(JSON.parse(begun.body));
    let chunk = 0;
    for await (const rowsOfChunk of inChunks(rows)) {
      if (chunk >= known) {
        const payload = { upload_id: uploadId, chunk, rows: rowsOfChunk };
        const ids = { commandId: v5(`rows ${chunk}`, uploadId), fingerprint: null };
        const reply = await ask(csv.rows, payload, { ...context, ...ids });
        if (reply.kind === 'rejected') return reply;
      }
      chunk += 1;
    }
    return await ask(operation, input, context);
  } finally {
    await rows.return(undefined);
  }
}

const unreadable = ({ row, fault }: Extract<CsvRow, { fault: string }>): BusReply => ({
  kind: 'rejected',
  rejection: reject('invalid', { fields: { body: [`Row ${row}: ${fault}`] } }),
});
