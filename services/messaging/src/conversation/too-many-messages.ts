/** Who writes by hand reaches neither: the one stops two machines that answer at once, the other those that take their time. */
const bounds = [
  { messages: 30, withinMs: 10 * 60_000 },
  { messages: 200, withinMs: 24 * 60 * 60_000 },
] as const;

/** How many of the newest messages tell. */
export const messagesThatTell = Math.max(...bounds.map(({ messages }) => messages));

/**
 * Whether a contact has had so many messages that nobody wrote by hand, by their ages (the newest first), that a machine must
 * be answering them, as an away message does, or another assistant: neither would ever have the last word, and each message
 * costs the account money.
 */
export const areTooMany = (agesMs: readonly number[]): boolean =>
  bounds.some(({ messages, withinMs }) => (agesMs[messages - 1] ?? Number.POSITIVE_INFINITY) < withinMs);
