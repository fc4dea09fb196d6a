/** An ISO 8601 time as microseconds since 1970: `Date` alone would cut off what Postgres keeps. */
export function toMicroseconds(time: string): number {
  const micros = /\.\d{3}(\d{1,3})/.exec(time)?.[1] ?? '';
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) throw new RangeError(`${JSON.stringify(time)} is not a time.`);
  return milliseconds * 1000 + Number(micros.padEnd(3, '0'));
}
