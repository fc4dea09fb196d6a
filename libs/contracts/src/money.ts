/** Millionths of an account's billing unit: money is always a safe integer of them, signed where it says so. */
export type Micros = number;

const microsPerUnit = 1_000_000;

/** A decimal string with at least two and at most six decimals, as the API shows amounts: `"12.50"`, `"-0.000001"`. */
export function formatMicros(micros: Micros): string {
  if (!Number.isSafeInteger(micros)) throw new RangeError(`${micros} is not an integer amount of micros.`);
  const magnitude = Math.abs(micros);
  const units = Math.floor(magnitude / microsPerUnit);
  const decimals = String(magnitude % microsPerUnit)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${micros < 0 ? '-' : ''}${units}.${decimals}`;
}

/** Reads a decimal string of at most six decimals exactly; `null` when it is none, or too large to count in micros. */
export function parseMicros(amount: string): Micros | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(amount);
  if (!match) return null;
  const [, sign, units = '', decimals = ''] = match;
  const micros = Number(units) * microsPerUnit + Number(decimals.padEnd(6, '0'));
  if (!Number.isSafeInteger(micros)) return null;
  return sign === '-' && micros !== 0 ? -micros : micros;
}
