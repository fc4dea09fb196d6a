/**
 * JSON without blanks, the fields of objects in the order of `jsonb`, shorter names first: the same text for what was
 * just sent and for what the log gives back.
 */
export const orderedJson = (value: unknown): string => JSON.stringify(value, ordered);

const ordered = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)))
    : value;
