import { hours } from '../chatapp-voice/voice-stack.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import {
  advance,
  type CodeCase,
  fault,
  nobody,
  noSender,
  ofAccount,
  ofPair,
  one,
  validation,
} from './code-case.ts';
import { greeting, sendGreeting, sendPath } from './sending.ts';

const sendersPath = '/api/user/chatapp/senders';
const json = { 'content-type': 'application/json' };

/** Of every chat-app operation: the form of a request, its key, its version. */
export const formCodes: readonly CodeCase[] = [
  one(
    'send',
    'malformed',
    ofAccount(({ api }) => api.call('POST', sendPath, { raw: '{"a":', headers: json })),
    { ...validation, error: 'The request body is not valid JSON.' },
  ),
  one(
    'send',
    'unsupported_media_type',
    ofAccount(({ api }) =>
      api.call('POST', sendPath, { raw: 'a=1', headers: { 'content-type': 'text/plain' } }),
    ),
    validation,
  ),
  one(
    'send',
    'payload_too_large',
    ofAccount((chat, to) =>
      chat.api.post(sendPath, { ...greeting(chat, to), recipient_name: 'x'.repeat(300_000) }),
    ),
    validation,
  ),
  one(
    'send',
    'idempotency_key_reuse',
    ofAccount(async (chat, to, stack) => {
      await sendGreeting(stack, chat, to, to);
      return chat.api.post(sendPath, greeting(chat, freshCustomerNumber()), { 'idempotency-key': to });
    }),
  ),
  one(
    'send',
    'idempotency_key_expired',
    ofAccount(async (chat, to, stack) => {
      await sendGreeting(stack, chat, to, to);
      await advance(stack, hours(24) + 1);
      return chat.api.post(sendPath, greeting(chat, to), { 'idempotency-key': to });
    }),
  ),
  one(
    'send',
    'idempotency_in_progress',
    ofAccount(async (chat, to, stack) => {
      await fault(stack, 'send_message', 'timeout');
      const post = () => chat.api.post(sendPath, greeting(chat, to), { 'idempotency-key': to });
      const answers = await Promise.all([post(), post()]);
      return answers.find(({ status }) => status === 409) ?? answers[0];
    }),
  ),
  one(
    'senders',
    'invalid_phone',
    ofPair(({ api }) => api.post(sendersPath, { phone_number: '12', display_name: 'A' })),
  ),
  one(
    'senders',
    'not_found',
    ofPair(({ api }) => api.put(`${sendersPath}/${nobody}`, { display_name: 'A' })),
    noSender,
  ),
  one(
    'senders',
    'version_mismatch',
    ofPair(({ api, sender }) =>
      api.put(`${sendersPath}/${sender.id}`, { display_name: 'A' }, { 'if-match': '"7"' }),
    ),
  ),
  one(
    'templates',
    'not_found',
    ofPair(({ api }) => api.get(`${sendersPath}/${nobody}/templates`)),
    noSender,
  ),
];
