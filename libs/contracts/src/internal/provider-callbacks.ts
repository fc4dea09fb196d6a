import { z } from 'zod';
import { defineInternal } from './internal-message.ts';

/** Last part of the path: `whatsapp`. */
const provider = z.string().max(64);

/** A provider's HTTP callback as it arrived, byte for byte: what it is signed over. */
const callback = z.object({
  provider,
  /** The headers that carry the signature, in lower case; nothing else of the request's head. */
  headers: z.record(z.string(), z.string()),
  body_base64: z.base64(),
});

/** POST /hooks/chat/{provider}. Rejected with `unauthorized` for a bad signature, `not_found` for an unknown provider. */
export const receiveChatCallback = defineInternal({
  name: 'receive-chat-callback',
  kind: 'command',
  service: 'messaging',
  input: callback.extend({
    /** The body travels as gzip: a burst's notification is larger than a message of the bus. */
    is_gzipped: z.boolean().default(false),
  }),
  output: z.object({ received: z.int() }),
});

/** GET /hooks/chat/{provider}: the platform asks whether the callback URL is ours. Rejected with `unauthorized`. */
export const verifyChatSubscription = defineInternal({
  name: 'verify-chat-subscription',
  kind: 'query',
  service: 'messaging',
  input: z.object({ provider, token: z.string().max(512) }),
  output: z.object({ verified: z.literal(true) }),
});

/** POST /hooks/payments/{provider}. Rejected with `unauthorized` for a bad signature, `not_found` for an unknown provider. */
export const receivePaymentCallback = defineInternal({
  name: 'receive-payment-callback',
  kind: 'command',
  service: 'telephony',
  input: callback,
  output: z.object({ received: z.int() }),
});

/** POST /hooks/voice/{provider}: `livekit`. Rejected like a chat callback; `unavailable` asks to be told again. */
export const receiveVoiceCallback = defineInternal({
  name: 'receive-voice-callback',
  kind: 'command',
  service: 'telephony',
  input: callback,
  output: z.object({ received: z.int() }),
});

/**
 * POST /hooks/sms/{provider}: `twilio`, which signs the URL that it calls as well. Rejected like a chat callback;
 * `contended` asks to be told again.
 */
export const receiveSmsCallback = defineInternal({
  name: 'receive-sms-callback',
  kind: 'command',
  service: 'telephony',
  input: callback.extend({ /** The path with its query, as they arrived. */ target: z.string().max(2_048) }),
  output: z.object({ received: z.int() }),
});
