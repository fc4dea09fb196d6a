import { z } from 'zod';
import type { InternalMessage } from '../internal/internal-message.ts';
import { bodyId } from './text.ts';

/**
 * How the gateway hands over a CSV file: `begin` with the header row, `rows` again and again, one call after the other,
 * then the operation itself. All of them carry the operation's command id as `upload_id`; those of `begin` and `rows`
 * are derived from it, so that an upload that broke off goes on where it was when it is sent again.
 */
export interface CsvUpload {
  readonly maxBytes: number;
  /** The column that every file has: what parts it from the others in the header row parts all cells. */
  readonly column: string;
  /** A file that is taken, for the document. */
  readonly example: string;
  /** Its input is the operation's query and `csvBeginning`. */
  readonly begin: InternalMessage<z.ZodType, typeof csvBegun>;
  /** Its input is `csvRows`. */
  readonly rows: InternalMessage<typeof csvRows>;
}

const uploadId = z.uuid();

export const csvBeginning = z.object({
  upload_id: uploadId,
  /** The first row's cells, as they are in the file; none for an empty file. */
  columns: z.array(z.string()).max(10_000),
});

export const csvBegun = z.object({
  /** How many times `rows` has been answered already: as many of the first calls may be left out. */
  chunks: z.int().min(0),
});

/** Rows are numbered as a spreadsheet shows them: the header is row 1, and empty rows count. */
export const csvRows = z.object({
  upload_id: uploadId,
  /** From 0; dense. */
  chunk: z.int().min(0),
  rows: z
    .array(
      z.union([
        z.object({ row: bodyId(), cells: z.array(z.string()) }),
        /** A row that is no CSV. */
        z.object({ row: bodyId(), fault: z.string() }),
      ]),
    )
    .max(5000),
});

export type CsvRow = z.output<typeof csvRows>['rows'][number];
