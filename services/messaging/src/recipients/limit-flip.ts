import { refusalByLimit } from './admit-recipient.ts';

/** The last message to one recipient. */
export interface LastWritten {
  readonly contactPhone: string;
  readonly messageId: number;
  /** In milliseconds since 1970. */
  readonly at: number;
}

const windowMs = 24 * 60 * 60 * 1_000;

/**
 * When time alone turns the limit's verdict on one more message, in milliseconds since 1970: recipients leave the
 * window, oldest first, which is the order of `written`. `null` when the verdict never turns.
 */
export function limitFlipsAt(
  limit: number | null,
  written: readonly LastWritten[],
  recipientPhone: string,
): number | null {
  const own = written.findIndex(({ contactPhone }) => contactPhone === recipientPhone);
  const isRefusedWithout = (gone: number) =>
    refusalByLimit(limit, { used: written.length - gone, isAmongThem: own >= gone }) !== null;
  const isRefused = isRefusedWithout(0);
  const leaving = written.find((_, index) => isRefusedWithout(index + 1) !== isRefused);
  return leaving ? leaving.at + windowMs : null;
}
