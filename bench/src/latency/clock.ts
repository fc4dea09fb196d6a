/** Milliseconds since 1970 with microseconds: the same clock as Postgres' on the same machine. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Milliseconds since 1970 of an ISO 8601 moment in UTC, with all its digits. */
export function momentMs(iso: string): number {
  const [whole = '', fraction = ''] = iso.replace('Z', '').split('.');
  return Date.parse(`${whole}Z`) + Number(`0.${fraction || '0'}`) * 1_000;
}
