/**
 * SQL expression for a delivery as the API shows it, over the columns of its row. What stands between quotes needs no
 * escaping: ids, numbers, times and words of ours; `url_json` and `attempts` are JSON already.
 */
export const itemColumn = `
  '{"id":"' || id || '","event":"' || event || '","event_id":"' || event_id || '","assistant_id":'
    || coalesce(assistant_id::text, 'null') || ',"sequence":' || sequence::text || ',"url":' || url_json
    || ',"status":"' || status || '","attempts":' || attempts::text || ',"next_attempt_at":'
    || coalesce('"' || next_attempt_at || '"', 'null') || ',"created_at":"' || created_at || '"}'`;

/**
 * How many of the newest attempts an item shows, so that a delivery that is asked for again and again does not grow.
 */
export const shownAttempts = 100;

/** An attempt as the API shows it; `status_code` and `error` are null where there is none. */
export interface AttemptItem {
  readonly attempt: number;
  readonly at: string;
  readonly duration_ms: number | null;
  readonly status_code: number | null;
  readonly error: string | null;
}

export const renderAttempt = ({ attempt, at, duration_ms, status_code, error }: AttemptItem): string =>
  JSON.stringify({ attempt, at, duration_ms, status_code, error });

/** Errors of an attempt that made no request: its webhooks were turned off, or go to another URL, since it began. */
export const turnedOffError = 'The webhook was turned off before it was sent.';
export const movedError = 'The webhook was given another URL before it was sent.';
/** Whether an attempt made no request, which says nothing about the endpoint. */
export const wasNotSent = (error: string | null): boolean => error === turnedOffError || error === movedError;
/** Error of an attempt whose process died on the way. */
export const interruptedError = 'The attempt was interrupted; whether it arrived is not known.';

/** A time as the API shows it, ISO 8601 with milliseconds, `laterMs` later. */
export const timestampOf = (recordedAt: string, laterMs = 0): string =>
  new Date(new Date(recordedAt).getTime() + laterMs).toISOString();
