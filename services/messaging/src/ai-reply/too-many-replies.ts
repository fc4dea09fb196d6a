/** Who writes by hand reaches neither: the one stops two machines that answer at once, the other those that take their time. */
const bounds = [
  { replies: 30, withinMs: 10 * 60_000 },
  { replies: 200, withinMs: 24 * 60 * 60_000 },
] as const;

/** How many of a conversation's newest replies tell. */
export const repliesThatTell = Math.max(...bounds.map(({ replies }) => replies));

/**
 * Whether a conversation has had so many replies, by their ages (the newest first), that a machine must be answering them, as
 * an away message does, or another assistant: neither would ever have the last word, and each reply costs the account money.
 */
export const areTooMany = (agesMs: readonly number[]): boolean =>
  bounds.some(({ replies, withinMs }) => (agesMs[replies - 1] ?? Number.POSITIVE_INFINITY) < withinMs);
