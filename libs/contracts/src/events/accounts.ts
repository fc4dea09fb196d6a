import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const account = { service: 'accounts', category: 'account', version: 1 } as const;
const apiKey = { service: 'accounts', category: 'api-key', version: 1 } as const;
const balance = { service: 'accounts', category: 'balance', version: 1 } as const;

export const AccountRegistered = defineEvent({
  ...account,
  type: 'AccountRegistered',
  summary: 'An account was registered.',
  data: z.object({
    account_id: z.int(),
    email: z.string(),
    name: z.string(),
    billing_unit: z.enum(['credits', 'minutes']),
  }),
});

export const ApiKeyCreated = defineEvent({
  ...apiKey,
  type: 'ApiKeyCreated',
  summary: 'An API key was created; only the SHA-256 of its token is known.',
  secrets: ['token_sha256'],
  data: z.object({
    api_key_id: z.int(),
    name: z.string(),
    token_sha256: z.string(),
    expires_at: z.string().nullable(),
    /** Decided before the append, because the answer shows it. */
    created_at: z.string(),
  }),
});

export const ApiKeyDeleted = defineEvent({
  ...apiKey,
  type: 'ApiKeyDeleted',
  summary: 'An API key was deleted for ever.',
  data: z.object({ api_key_id: z.int() }),
});

export const BalanceToppedUp = defineEvent({
  ...balance,
  type: 'BalanceToppedUp',
  summary: 'Money was added to the balance.',
  personal: { mentions: ['description'] },
  data: z.object({ amount_micros: z.int(), description: z.string(), reference: z.string().nullable() }),
});

export const BalanceAdjusted = defineEvent({
  ...balance,
  type: 'BalanceAdjusted',
  summary: 'The balance was corrected by an operator; the amount is signed.',
  personal: { mentions: ['description'] },
  data: z.object({ amount_micros: z.int(), description: z.string() }),
});

export const BalanceDebited = defineEvent({
  ...balance,
  type: 'BalanceDebited',
  summary:
    'An operator took money off the balance, which may be below zero since: a chargeback, a correction.',
  personal: { mentions: ['description'] },
  data: z.object({ amount_micros: z.int(), description: z.string(), reference: z.string().nullable() }),
});

export const BalanceReserved = defineEvent({
  ...balance,
  type: 'BalanceReserved',
  summary: 'Money was set aside for something about to happen.',
  personal: { mentions: ['description'] },
  data: z.object({
    hold_id: z.string(),
    amount_micros: z.int(),
    description: z.string(),
    reference: z.string().nullable(),
  }),
});

export const BalanceCaptured = defineEvent({
  ...balance,
  type: 'BalanceCaptured',
  summary: 'Reserved money was spent; what was reserved beyond it is free again.',
  personal: { mentions: ['description'] },
  data: z.object({
    hold_id: z.string(),
    amount_micros: z.int(),
    released_micros: z.int(),
    description: z.string(),
    reference: z.string().nullable(),
  }),
});

export const BalanceReleased = defineEvent({
  ...balance,
  type: 'BalanceReleased',
  version: 2,
  summary: 'Reserved money is free again, or will not be reserved any more.',
  data: z.object({
    hold_id: z.string(),
    amount_micros: z.int(),
    effect: z
      .enum(['freed', 'barred'])
      .describe('`barred`: the release overtook its reservation, which will not be made any more.'),
  }),
  earlier: [
    // Whoever read it had to know that nothing is never reserved.
    earlierVersion(z.object({ hold_id: z.string(), amount_micros: z.int() }), (data) => ({
      ...data,
      effect: data.amount_micros === 0 ? 'barred' : 'freed',
    })),
  ],
});

export const BalanceRefunded = defineEvent({
  ...balance,
  type: 'BalanceRefunded',
  summary: 'Money that was spent was given back, because what it paid for came to nothing after all.',
  personal: { mentions: ['description'] },
  data: z.object({
    hold_id: z.string(),
    amount_micros: z.int(),
    description: z.string(),
    reference: z.string().nullable(),
  }),
});

export const SubjectErased = defineEvent({
  service: 'accounts',
  category: 'erasure',
  version: 1,
  type: 'SubjectErased',
  summary: 'A person was erased: what belonged to them can no longer be read.',
  data: z.object({
    erasure_id: z.string(),
    subject_ids: z
      .array(z.string())
      .describe('What stands for the person in the events of services: `erased:<id>`.'),
  }),
});

export type ErasureEvent = EventOf<typeof SubjectErased>;
export type AccountEvent = EventOf<typeof AccountRegistered>;
export type ApiKeyEvent = EventOf<typeof ApiKeyCreated | typeof ApiKeyDeleted>;
export type BalanceEvent = EventOf<
  | typeof BalanceToppedUp
  | typeof BalanceAdjusted
  | typeof BalanceDebited
  | typeof BalanceReserved
  | typeof BalanceCaptured
  | typeof BalanceReleased
  | typeof BalanceRefunded
>;
