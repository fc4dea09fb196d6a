import { invalidField, type Rejection } from '@parley/contracts';
import type { toItem } from './item.ts';

/**
 * In JSON characters: a page of a hundred leads must fit into one answer. What fits into a body is smaller, unless
 * its numbers are written out (`1e20`), or contacts and variables were sent one after the other.
 */
const maxItemLength = 400 * 1024;

export function sizeFault(item: ReturnType<typeof toItem>): Rejection | undefined {
  if (lengthOf(item) <= maxItemLength) return undefined;
  const field =
    lengthOf(item.secondary_contacts) > lengthOf(item.variables) ? 'secondary_contacts' : 'variables';
  return invalidField(field, `A lead must not be larger than ${maxItemLength} characters in all.`);
}

const lengthOf = (value: object): number => JSON.stringify(value).length;
