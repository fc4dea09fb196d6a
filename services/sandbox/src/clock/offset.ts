export interface ClockOffset {
  /** Every service has at least this offset. */
  readonly confirmedSeconds: number;
  /** The largest offset that any service may have been told. */
  readonly announcedSeconds: number;
}

/**
 * The absolute offset to send for "forward by `seconds`". Repeating a request that failed half-way gives the same
 * target, and no target is ever behind what a service may already have.
 */
export const targetOffset = (offset: ClockOffset, seconds: number): number =>
  Math.max(offset.confirmedSeconds + seconds, offset.announcedSeconds);
