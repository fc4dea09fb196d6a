import { z } from 'zod';
import { asOf, moment, pageNumber, pathId, perPage, writtenUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const keys = {
  service: 'accounts',
  tag: 'API keys',
  errorShape: 'message',
} as const;
const account = {
  service: 'accounts',
  tag: 'Account',
  errorShape: 'message',
} as const;

const timestamp = z.iso.datetime({ offset: true });

export const createApiKey = defineOperation({
  ...keys,
  name: 'create-api-key',
  kind: 'command',
  method: 'POST',
  path: '/api/user/api-keys',
  summary: 'Create an API key',
  description: 'The token is shown once, here; a replay with the same Idempotency-Key shows `token: null`.',
  body: z.object({
    name: writtenUpTo(255).describe('For people: where the key is used.'),
    expires_at: moment().nullish().describe('From when it is not accepted any more; never when absent.'),
  }),
  example: { name: 'CRM' },
  success: {
    status: 201,
    schema: z.object({
      message: z.string(),
      api_key: z.object({
        id: z.int(),
        name: z.string(),
        token: z.string().nullable().describe('What requests carry; shown once, null in a replay.'),
        created_at: timestamp,
      }),
    }),
  },
});

export const listApiKeys = defineOperation({
  ...keys,
  name: 'list-api-keys',
  kind: 'query',
  method: 'GET',
  path: '/api/user/api-keys',
  summary: 'List API keys, newest first, without their tokens',
  description: 'Deleted keys are not shown; those that have expired are.',
  success: {
    status: 200,
    schema: z.object({
      data: z.array(
        z.object({ id: z.int(), name: z.string(), created_at: timestamp, expires_at: timestamp.nullable() }),
      ),
    }),
  },
});

export const deleteApiKey = defineOperation({
  ...keys,
  name: 'delete-api-key',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/api-keys/{id}',
  summary: 'Delete an API key for ever',
  description: 'From the moment of the answer no gateway accepts the key.',
  params: z.object({ id: pathId().describe('Of the key.') }),
  notFoundMessage: 'API key not found.',
  success: { status: 200, schema: z.object({ message: z.string() }) },
});

export const getMe = defineOperation({
  ...account,
  name: 'get-me',
  kind: 'query',
  method: 'GET',
  path: '/api/user/me',
  summary: 'The account of the key',
  description: 'With `as_of` (a timestamp or a position) the balance is that of the moment given.',
  query: z.object({ as_of: asOf() }),
  notFoundMessage: 'Account not found',
  success: {
    status: 200,
    schema: z.object({
      id: z.int(),
      name: z.string(),
      email: z.string(),
      total_balance: z.string().describe('The sum of all ledger lines, reserved money included.'),
      available_balance: z
        .string()
        .describe(
          'What can be spent: the total without what is reserved. Below zero: what a chargeback left owing.',
        ),
      reserved_balance: z.string().describe('What is set aside for what goes on, such as calls.'),
      billing_unit: z.enum(['credits', 'minutes']).describe('What amounts are counted in.'),
    }),
  },
});

export const listBalanceTransactions = defineOperation({
  ...account,
  name: 'list-balance-transactions',
  kind: 'query',
  method: 'GET',
  path: '/api/user/balance/transactions',
  summary: 'The lines of the balance ledger, newest first',
  description:
    'The sum of all amounts is the total balance; amounts are signed decimal strings. `id` counts the lines of the account. With `as_of` (a timestamp or a position) those that there were at that moment.',
  query: z.object({
    page: pageNumber(),
    per_page: perPage(15),
    as_of: asOf(),
  }),
  success: {
    status: 200,
    schema: z.object({
      data: z.array(
        z.object({
          id: z.int(),
          type: z.enum(['top_up', 'adjustment', 'charge', 'refund']),
          amount: z.string().describe('Signed: below zero for what was paid.'),
          balance_after: z.string().describe('The total balance after this line.'),
          description: z.string(),
          reference: z
            .string()
            .nullable()
            .describe('What whoever topped up called it, or what it was paid for.'),
          created_at: timestamp,
          event_id: z.string().describe('The event that caused the line.'),
        }),
      ),
      current_page: z.int(),
      per_page: z.int(),
      total: z.int(),
    }),
  },
});
