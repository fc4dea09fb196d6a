import { type RejectionCode, rejections } from '@parley/contracts';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { voicePair } from '../chatapp-voice/voice-stack.ts';
import { chatAccount } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { formCodes } from './form-codes.ts';
import { sendCodes } from './send-codes.ts';
import { greeting, sendPath } from './sending.ts';
import { voiceCodes } from './voice-codes.ts';

const codeCases = [...sendCodes, ...voiceCodes, ...formCodes];

/** A stack of its own: faults hit whoever comes next, and its clock goes forward by days. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(async () => {
  await stack?.stop();
});

/** What no chat-app operation answers by a rule of its own: whoever adds a code says here whose it is, or adds its case. */
const ofOthers: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  // Before an operation is known, or its account.
  'unauthorized',
  'headers_too_large',
  'request_timeout',
  'route_not_found',
  'method_not_allowed',
  // Of our own faults and haste.
  'contended',
  'unavailable',
  'timeout',
  'internal',
  // Of the log, the ledger, webhooks, telephony and automations.
  'not_revertible',
  'hold_settled',
  'webhook_off',
  'webhook_erased',
  'sip_trunk_exists',
  'voice_platform_refused',
  'invalid_definition',
  'no_steps',
  'unsupported_trigger',
  'number_unparsable',
  'number_in_use',
  'number_not_available',
  'no_payment_method',
  'payment_failed',
  'purchase_failed',
  'retry_no_op',
  'retry_failed',
]);

test('every code of the contracts has a case here, or is of others', () => {
  const reached = new Set<string>(['too_many_attempts', ...codeCases.map(({ code }) => code)]);
  const isDecided = (code: string) => reached.has(code) !== ofOthers.has(code as RejectionCode);
  expect(Object.keys(rejections).filter((code) => !isDecided(code))).toEqual([]);
});

/** The two tables of the specification (service-api, section 7), and what decisions, section 2 add to them. */
const specified = {
  send: [
    '402 INSUFFICIENT_BALANCE',
    '404 SENDER_NOT_FOUND',
    '404 TEMPLATE_NOT_FOUND',
    '422 TEMPLATE_NOT_APPROVED',
    '422 INVALID_PHONE',
    '422 SENDER_OFFLINE',
    '422 VARIABLES_MISSING',
    '422 MESSAGING_LIMIT_REACHED',
    '422 SEND_FAILED',
    '422 VALIDATION_FAILED',
    '400 VALIDATION_FAILED',
    '413 VALIDATION_FAILED',
    '415 VALIDATION_FAILED',
  ],
  freeform: ['422 SESSION_EXPIRED'],
  'voice/request': [
    '404 SENDER_NOT_FOUND',
    '422 INVALID_PHONE',
    '422 VOICE_DISABLED',
    '422 TEMPLATE_NOT_FOUND',
    '422 SESSION_CLOSED',
    '422 REQUEST_LIMIT',
    '422 REGION_NOT_SUPPORTED',
    '422 SEND_FAILED',
    '422 VALIDATION_FAILED',
  ],
};

test.each(Object.entries(specified))('every code that is specified for %s has a case', (operation, codes) => {
  const reached = codeCases
    .filter((each) => each.operation === operation)
    .map(({ code, error_code }) => `${rejections[code].status} ${error_code}`);
  expect(codes.filter((code) => !reached.includes(code))).toEqual([]);
});

describe('a request that comes to an error has its status and exactly its body', () => {
  test.each(codeCases)('$operation: $code', async ({ code, error_code, error, more, reach }) => {
    const { status, body } = await reach(stack);
    expect([status, body]).toEqual([
      rejections[code].status,
      { success: false, error: error ?? rejections[code].message, error_code, ...more },
    ]);
  });

  test.each(['send', 'voice/request'])('%s: too_many_attempts, which has no code', async (operation) => {
    const chat = await chatAccount(stack);
    const { ask } = await voicePair(stack);
    const act = () =>
      operation === 'send' ? chat.api.post(sendPath, greeting(chat, freshCustomerNumber())) : ask();
    // A window is a second of real time: on a slow machine a burst may take longer than it is refused for.
    const refused = await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, act));
      const found = answers.find(({ status }) => status === 429);
      if (!found) throw new Error('Every one of them went through.');
      return found;
    });
    expect(refused.body).toEqual({
      success: false,
      message: 'Too Many Attempts.',
      retry_after: expect.any(Number),
    });
  });
});
