/**
 * Nobody who writes by hand reaches either bound: the first stops two machines that answer at once, the second those
 * that take their time.
 */
const bounds = [
  { messages: 30, withinMs: 10 * 60_000 },
  { messages: 200, withinMs: 24 * 60 * 60_000 },
] as const;

/** How many of the newest messages `areTooMany` has to see. */
export const messagesThatTell = Math.max(...bounds.map(({ messages }) => messages));

/**
 * Whether so many messages went to a contact in a short time, or came from them, that a machine must be at the other
 * end, such as an away message or another assistant: it would go on for ever, and each message of ours costs the
 * account money. `agesMs`: ages of the newest messages of one kind, newest first.
 */
export const areTooMany = (agesMs: readonly number[]): boolean =>
  bounds.some(({ messages, withinMs }) => (agesMs[messages - 1] ?? Number.POSITIVE_INFINITY) < withinMs);
