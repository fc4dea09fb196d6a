import { z } from 'zod';
import { asOf, bodyId, pageNumber, pathId, perPage, textUpTo } from '../input/text.ts';
import { variables } from '../input/variables.ts';
import { defineOperation } from '../operation.ts';

const calls = { service: 'telephony', tag: 'Calls', errorShape: 'message' } as const;

const directions = ['inbound', 'outbound'] as const;
const statuses = ['queued', 'ringing', 'in_progress', 'completed', 'no_answer', 'busy', 'failed'] as const;

const call = z
  .object({
    id: z.int(),
    direction: z.enum(directions).describe('`inbound` for calls to the account.'),
    channel: z
      .enum(['phone', 'chatapp'])
      .describe('`chatapp` is a call between a sender of the chat app and a customer there.'),
    status: z
      .enum(statuses)
      .describe(
        '`ringing` once it was dialed, until it is over; `in_progress` for one that came in, until it is over.',
      ),
    assistant_id: z.int().nullable().describe('Null when no assistant takes part.'),
    customer_phone: z.string().describe('The other side, in E.164.'),
    assistant_phone: z.string().nullable().describe("The account's side."),
    lead_id: z.int().nullable().describe('Whom a campaign called; null for other calls.'),
    campaign_id: z.int().nullable().describe('The campaign that called; null for other calls.'),
    duration: z.int().describe('Seconds; 0 unless the call was answered and is over.'),
    cost: z.string().nullable().describe('What it cost; null while that is not settled.'),
    reason: z
      .string()
      .nullable()
      .describe('Why it could not be placed or paid, or that no report of it came in time.'),
    input_variables: z.record(z.string(), z.json()).describe('What the assistant was filled with.'),
    extracted_variables: z
      .record(z.string(), z.json())
      .describe('What was drawn from it, by `post_call_schema`.'),
    transcript: z.array(z.object({ role: z.string(), text: z.string() })),
    recording_url: z
      .string()
      .nullable()
      .describe('Null where it was not recorded, or the recording is not finished.'),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable().describe('Null while it is not over.'),
  })
  .meta({ id: 'Call' });

export const makeCall = defineOperation({
  ...calls,
  name: 'make-call',
  kind: 'command',
  method: 'POST',
  path: '/api/user/make_call',
  summary: 'Let an assistant call somebody',
  description: [
    'The assistant is an own outbound one with a phone number, which the customer sees. `variables` stand above the ones of the assistant; together they come to at most 256 Ki characters of JSON.',
    'What the longest call (`max_duration`) would cost is reserved; without that much the answer is 402. When the call is over its minutes are charged, each begun one in full, and the rest is free again. The answer comes before the customer’s telephone rings: read the call, or have the post-call webhook, to learn how it went.',
  ].join('\n\n'),
  notFoundMessage: 'Assistant not found',
  body: z.object({
    assistant_id: bodyId().describe('Who calls.'),
    phone_number: textUpTo(32).describe('Who is called, in E.164.'),
    variables: variables(
      'What the assistant is filled with for this call, by name; they stand above its own.',
    ).nullish(),
  }),
  rejections: ['insufficient_balance'],
  example: { assistant_id: 1, phone_number: '+442079460101', variables: { name: 'Ada' } },
  success: { status: 201, schema: z.object({ message: z.string(), data: call }) },
});

export const listCalls = defineOperation({
  ...calls,
  name: 'list-calls',
  kind: 'query',
  method: 'GET',
  path: '/api/user/calls',
  summary: 'List calls, newest first',
  description: 'In both directions, on the telephone and over the chat app.',
  query: z.object({
    assistant_id: pathId().optional().describe('Only calls of this assistant.'),
    direction: z.enum(directions).optional().describe('Only calls to the account, or by it.'),
    status: z.enum(statuses).optional().describe('Only calls in this state.'),
    page: pageNumber(),
    per_page: perPage(15),
  }),
  success: {
    status: 200,
    schema: z.object({ data: z.array(call), current_page: z.int(), per_page: z.int(), total: z.int() }),
  },
});

export const getCall = defineOperation({
  ...calls,
  name: 'get-call',
  kind: 'query',
  method: 'GET',
  path: '/api/user/calls/{id}',
  summary: 'One call with its transcript',
  notFoundMessage: 'Call not found',
  description: 'With `as_of` (a timestamp or a position) as it was at that moment.',
  params: z.object({ id: pathId().describe('Of the call.') }),
  query: z.object({ as_of: asOf() }),
  isVersioned: true,
  success: { status: 200, schema: z.object({ data: call }) },
});
