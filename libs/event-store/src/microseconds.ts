/** As Postgres keeps it and readers get it: `2026-11-21T10:00:00.123456Z`. */
export const fromMicroseconds = (time: number): string =>
  new Date(Math.floor(time / 1000)).toISOString().replace('Z', `${String(time % 1000).padStart(3, '0')}Z`);

/** An ISO 8601 time as microseconds since 1970: `Date` alone would cut off what Postgres keeps. */
export function toMicroseconds(time: string): number {
  const micros = /\.\d{3}(\d{1,3})/.exec(time)?.[1] ?? '';
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) throw new RangeError(`${JSON.stringify(time)} is not a time.`);
  return milliseconds * 1000 + Number(micros.padEnd(3, '0'));
}
