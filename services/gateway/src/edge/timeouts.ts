import type { Pace } from './pace.ts';

/** How long a client may take, and how long we may, in milliseconds. */
export interface Timeouts {
  /** For a request's head. */
  readonly headersMs: number;
  /** For all of a request but a file, with `checkMs` on top; and the length of the windows of the next one. */
  readonly requestMs: number;
  /** Bytes per second: who sends a file, or takes a large answer, more slowly in any window is cut off. */
  readonly slowestBytesPerSecond: number;
  /** How late the two above may be noticed. */
  readonly checkMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction. */
  readonly connectionMs: number;
  /** From a request's head to its answer, the upload of the body aside; then the answer is 503. */
  readonly handlerMs: number;
  /**
   * For the end of an outage, as the restart of a service or of its database; then the answer is 503. For that of the same
   * command, begun elsewhere; then it is 409.
   */
  readonly patienceMs: number;
  /** On a feed to which there is nothing to say, between two signs of life. */
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
