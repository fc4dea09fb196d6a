import { type LeadImportEvent, type LeadRowsImported, maxReportedErrors } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import type { z } from 'zod';

/** Why a row of the file did not become a lead. */
export type RowError = z.output<typeof LeadRowsImported.data>['errors'][number];

/** Null before its file began to be read. Its account stands on the stream's events. */
export type LeadImport = {
  readonly campaignId: number;
  /** The header row; null for a column that is left out. */
  readonly columns: readonly (string | null)[];
  /** How many chunks of the file were read. */
  readonly chunks: number;
  /** Number of the last row that was read; the header row is 1. */
  readonly lastRow: number;
  readonly created: number;
  readonly skipped: number;
  readonly failed: number;
  /** The first errors, as many as are reported. */
  readonly errors: readonly RowError[];
  readonly isFinished: boolean;
} | null;

export const leadImportStream = (id: string): string => `lead-import-${id}`;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The stream of an import that operators name by its id; undefined for what is no id. */
export const leadImportStreamOf = (id: string): string | undefined =>
  uuid.test(id) ? leadImportStream(id) : undefined;

export const leadImport: Fold<LeadImport, LeadImportEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'LeadImportStarted': {
        const { campaign_id: campaignId, columns } = event.data;
        const counts = { chunks: 0, lastRow: 1, created: 0, skipped: 0, failed: 0 };
        return { campaignId, columns, ...counts, errors: [], isFinished: false };
      }
      case 'LeadRowsImported':
        return (
          state && {
            ...state,
            chunks: event.data.chunk + 1,
            lastRow: event.data.last_row,
            created: state.created + event.data.created,
            skipped: state.skipped + event.data.skipped,
            failed: state.failed + event.data.failed,
            errors: [...state.errors, ...event.data.errors],
          }
        );
      case 'LeadImportFinished':
        return state && { ...state, isFinished: true };
      default:
        return state;
    }
  },
};

/** An import as operators see it. */
export const showLeadImport = (state: LeadImport) =>
  state && {
    campaign_id: state.campaignId,
    columns: state.columns,
    chunks: state.chunks,
    last_row: state.lastRow,
    created: state.created,
    skipped: state.skipped,
    failed: state.failed,
    errors: state.errors,
    is_finished: state.isFinished,
  };

/**
 * Largest size of all reported errors: the answer must fit into a message of the bus, whatever the columns are called.
 */
const maxReportedBytes = 256 * 1024;

/** As many of the new errors as may still be reported beside those that were reported before. */
export function reportable(reported: readonly RowError[], errors: readonly RowError[]): RowError[] {
  let bytes = reported.length > 0 && errors.length > 0 ? Buffer.byteLength(JSON.stringify(reported)) : 0;
  const taken: RowError[] = [];
  for (const error of errors) {
    bytes += Buffer.byteLength(JSON.stringify(error));
    if (reported.length + taken.length === maxReportedErrors || bytes > maxReportedBytes) break;
    taken.push(error);
  }
  return taken;
}
