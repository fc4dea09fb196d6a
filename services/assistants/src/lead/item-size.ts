import { invalidField, type Rejection } from '@parley/contracts';
import type { toItem } from './item.ts';

/**
 * Largest lead, in characters of its JSON: a page of a hundred leads must fit into one answer. A request's body is
 * smaller than this, unless its numbers are written out (`1e20`), or contacts and variables were sent one after the
 * other.
 */
const maxItemLength = 400 * 1024;

/** A rejection that names the larger field when the lead is too large; undefined when it is not. */
export function sizeFault(item: ReturnType<typeof toItem>): Rejection | undefined {
  if (lengthOf(item) <= maxItemLength) return undefined;
  const field =
    lengthOf(item.secondary_contacts) > lengthOf(item.variables) ? 'secondary_contacts' : 'variables';
  return invalidField(field, `A lead must not be larger than ${maxItemLength} characters in all.`);
}

const lengthOf = (value: object): number => JSON.stringify(value).length;
