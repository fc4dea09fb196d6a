import type { Pace } from './pace.ts';

/** How long a client may take, and how long we may, in milliseconds. */
export interface Timeouts {
  /** For the head of a request (request line and headers). */
  readonly headersMs: number;
  /**
   * For a whole request other than a file upload, with `checkMs` on top; also the window over which the speed in
   * `slowestBytesPerSecond` is measured.
   */
  readonly requestMs: number;
  /** Bytes per second: who sends a file, or takes a large answer, more slowly in any window is cut off. */
  readonly slowestBytesPerSecond: number;
  /** How late the two above may be noticed. */
  readonly checkMs: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveMs: number;
  /** How long a connection may stay without a byte in either direction. */
  readonly connectionMs: number;
  /** From a request's head to its answer, without the time for uploading the body; after it the answer is 503. */
  readonly handlerMs: number;
  /**
   * How long to wait for the end of an outage, such as the restart of a service or its database, before the answer
   * is 503; and for a first try of the same command that still runs, before the answer is 409.
   */
  readonly patienceMs: number;
  /** Between two heartbeats on a feed without news. */
  readonly heartbeatMs: number;
  /** A feed's client that takes nothing for so long is gone. */
  readonly stalledMs: number;
}

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 14_500,
  slowestBytesPerSecond: 16 * 1024,
  checkMs: 500,
  keepAliveMs: 12_000,
  connectionMs: 30_000,
  handlerMs: 10_000,
  patienceMs: 3_000,
  heartbeatMs: 10_000,
  stalledMs: 30_000,
};

export const paceOf = ({ requestMs, slowestBytesPerSecond }: Timeouts): Pace => ({
  bytesPerSecond: slowestBytesPerSecond,
  windowMs: requestMs,
});
