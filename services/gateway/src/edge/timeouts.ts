/** How long a client may take, and how long we may, in milliseconds. */
export interface Timeouts {
  /** For a request's head. */
  readonly headersMs: number;
  /** For all of a request, with `checkMs` on top. */
  readonly requestMs: number;
  /** How late the two above may be noticed. */
  readonly checkMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction. */
  readonly connectionMs: number;
  /** From a request's head to its answer, the upload of the body aside; then the answer is 503. */
  readonly handlerMs: number;
  /** On a feed to which there is nothing to say, between two signs of life. */
  readonly heartbeatMs: number;
  /** A feed's client that takes nothing for so long is gone. */
  readonly stalledMs: number;
}

export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 14_500,
  checkMs: 500,
  keepAliveMs: 12_000,
  connectionMs: 30_000,
  handlerMs: 10_000,
  heartbeatMs: 10_000,
  stalledMs: 30_000,
};
