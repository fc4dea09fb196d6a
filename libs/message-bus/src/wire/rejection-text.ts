import type { BusRejection } from './message.ts';

/** An expected "no" from JSON text. What is not one (a defect of the sender) becomes `internal`, never an exception. */
export function parseRejection(json: string): BusRejection {
  try {
    const value: unknown = JSON.parse(json);
    if (isRejection(value)) return value;
  } catch {
    // Falls through: the sender did not write JSON.
  }
  return { code: 'internal' };
}

/** Structural, so that this library need not know the codes. Errors have codes too, but are no rejections. */
export const isRejection = (value: unknown): value is BusRejection =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Error) &&
  'code' in value &&
  typeof value.code === 'string';
