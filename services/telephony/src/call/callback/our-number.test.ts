import type { SqlExecutor } from '@parley/event-store';
import { describe, expect, test } from 'vitest';
import type { CallLookups } from '../other-services.ts';
import { findOurSide } from './our-number.ts';

const bought = { id: 4, account_id: 3, country_code: 'DE', kind: 'normal' };
const trunk = { id: 7, account_id: 5, country_code: 'DE', kind: 'sip' };
const otherTrunk = { ...trunk, id: 8, account_id: 6 };
const sender = { id: 2, account_id: 9, assistant_id: null };

interface Known {
  /** Bought numbers and trunks with the number that was called. */
  readonly numbers?: readonly object[];
  /** The trunk that the call came by. */
  readonly cameBy?: object;
  /** The sender of the chat app with the number. */
  readonly sender?: object;
}

/** Whose a call is: `<channel> <account>` and the number or sender that was called. */
async function whose({ numbers = [], cameBy, sender: ofChat }: Known) {
  const sql = {
    async query({ name }: { readonly name: string }) {
      const rows = name === 'trunk-of-platform' ? (cameBy ? [cameBy] : []) : numbers;
      return { rows, rowCount: rows.length };
    },
  };
  const lookups = { senderOf: async () => ofChat ?? null, speaking: async () => null };
  const found = await findOurSide(
    sql as unknown as SqlExecutor,
    lookups as Partial<CallLookups> as CallLookups,
    {
      ...{ phone: '+4930901820', calledAt: '2026-11-21T09:31:00.000Z', trunkId: 'ST_1' },
      ...{ direction: 'inbound', correlationId: 'callback-1' },
    },
  );
  if (found === null || found === 'ambiguous') return found;
  const { channel, accountId, phone_number_id, sender_id } = found;
  return `${channel} ${accountId} ${phone_number_id ?? sender_id}`;
}

describe('a call to a number', () => {
  test.each<[string, Known, string | null]>([
    ['that was bought is its buyer’s', { numbers: [trunk, bought], sender }, 'phone 3 4'],
    [
      'that was bought is its buyer’s, by whichever trunk it came',
      { numbers: [trunk, bought], cameBy: trunk },
      'phone 3 4',
    ],
    [
      'of several trunks is of the one that it came by',
      { numbers: [trunk, otherTrunk], cameBy: otherTrunk },
      'phone 6 8',
    ],
    ['of several trunks may be of any of them', { numbers: [trunk, otherTrunk] }, 'ambiguous'],
    ['of one trunk is of that one', { numbers: [trunk] }, 'phone 5 7'],
    [
      'of a sender is the sender’s, whoever has entered it for a trunk',
      { numbers: [trunk, otherTrunk], sender },
      'chatapp 9 2',
    ],
    [
      'of a sender and of a trunk of the same account is of the trunk',
      { numbers: [trunk, { ...otherTrunk, account_id: 9 }], sender },
      'phone 9 8',
    ],
    ['of nobody is nobody’s', {}, null],
  ])('%s', async (_, known, expected) => expect(await whose(known)).toBe(expected));
});
