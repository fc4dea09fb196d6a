/**
 * Rest of a campaign after a withdrawal: what one lead was refused for now, the next one would be as well. It grows, because
 * what goes on for long may go on for days.
 */
const restMs = 5_000;
const longestRestMs = 5 * 60_000;
/**
 * After how many withdrawals in a row the rest doubles: as many come back at once when a campaign stops or its window
 * closes, which says nothing of later attempts.
 */
const restsAlike = 10;
/** So often doubled, it is the longest. */
const mostDoublings = Math.ceil(Math.log2(longestRestMs / restMs));

/** Milliseconds of rest after so many withdrawals in a row. */
export const restAfter = (inARow: number): number =>
  Math.min(restMs * 2 ** Math.min(Math.floor(inARow / restsAlike), mostDoublings), longestRestMs);

/** SQL expression for the same, over an integer expression. */
export const restAfterSql = (inARow: string): string =>
  `least(${restMs} * power(2, least((${inARow}) / ${restsAlike}, ${mostDoublings})), ${longestRestMs})`;
