import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { bodyId, pathId, text, textUpTo } from '../text.ts';

const messages = { service: 'messaging', tag: 'Chat-app messages', errorShape: 'chatapp' } as const;

/** Checked by the service, which has a code of its own for what is no phone number. */
const phone = text();
const variableValue = z.union([textUpTo(1024, 0), z.number().transform(String)]);
/** In a query string a plus sign that was not encoded arrives as a space. */
const queryPhone = z.preprocess(
  (value) => (typeof value === 'string' ? value.replace(/^ /, '+') : value),
  phone,
);

/** What a send is answered with; `status` is the delivery status at that moment. */
const sentMessage = z.object({
  success: z.literal(true),
  conversation_id: z.int(),
  conversation_uuid: z.uuid(),
  message_id: z.int(),
  chatapp_message_id: z.int(),
  message_sid: z.string(),
  status: z.string(),
});

export const sendChatAppTemplate = defineOperation({
  ...messages,
  name: 'send-chatapp-template',
  kind: 'command',
  method: 'POST',
  path: '/api/user/chatapp/send',
  summary: 'Send a template message',
  description:
    'The cost is deducted from the balance. `variables` by position (`"1"`, `"2"`, …) or by the names of the template. SEND_FAILED with `details.outcome` "unknown": the platform may have taken the message; it is not sent again, and its status follows.',
  body: z.object({
    sender_id: bodyId(),
    template_id: bodyId(),
    recipient_phone: phone,
    recipient_name: textUpTo(255, 0).nullish(),
    variables: z.record(text(), variableValue).nullish(),
  }),
  rateLimits: [{ name: 'per-second', max: 5, windowMs: 1_000 }],
  success: { status: 200, schema: sentMessage },
});

export const sendFreeform = defineOperation({
  ...messages,
  name: 'send-freeform',
  kind: 'command',
  method: 'POST',
  path: '/api/user/chatapp/send-freeform',
  summary: 'Send a text message inside the 24-hour window',
  description: 'A person has taken over: AI replies of the conversation are off from then on.',
  body: z.object({ sender_id: bodyId(), recipient_phone: phone, message: textUpTo(4096) }),
  success: { status: 200, schema: sentMessage },
});

export const getSessionStatus = defineOperation({
  ...messages,
  name: 'get-session-status',
  kind: 'query',
  method: 'GET',
  path: '/api/user/chatapp/session-status',
  summary: 'Whether a contact may be written to without a template, and may be asked for call permission',
  description:
    'The session is open for 24 hours after the last message of the contact; the freeform window also for 24 hours after our template.',
  query: z.object({ sender_id: pathId(), recipient_phone: queryPhone }),
  success: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      sender_id: z.int(),
      recipient_phone: z.string(),
      conversation_uuid: z.uuid().nullable(),
      session_open: z.boolean(),
      session_expires_at: z.iso.datetime().nullable(),
      freeform_open: z.boolean(),
      freeform_expires_at: z.iso.datetime().nullable(),
    }),
  },
});
