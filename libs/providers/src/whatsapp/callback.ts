import type { ChatEvent } from '@parley/contracts';
import { z } from 'zod';
import { storable } from '../storable.ts';
import { toE164 } from './number.ts';

const epochSeconds = z.coerce
  .number()
  .int()
  .nonnegative()
  .max(8_640_000_000_000 / 1_000);

/** One of the platform's, as far as it can be put on record. */
const id = (maxLength: number) => z.string().transform(storable).pipe(z.string().min(1).max(maxLength));

const message = z.object({
  id: id(500),
  from: z.string().regex(/^\d{5,20}$/),
  timestamp: epochSeconds,
  type: z.string(),
  text: z.object({ body: z.string() }).optional(),
  button: z.object({ text: z.string() }).optional(),
  context: z.object({ id: z.string().transform(storable).optional() }).optional(),
  interactive: z
    .object({
      type: z.string(),
      button_reply: z.object({ title: z.string() }).optional(),
      list_reply: z.object({ title: z.string() }).optional(),
      call_permission_reply: z
        .object({
          response: z.enum(['accept', 'reject']),
          is_permanent: z.boolean().default(false),
          expiration_timestamp: epochSeconds.optional(),
        })
        .optional(),
    })
    .optional(),
});

const status = z.object({
  id: id(500),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: epochSeconds,
  recipient_id: z.string().regex(/^\d{5,20}$/),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(z.object({ code: z.coerce.string(), title: z.string().default('') })).optional(),
});

const contact = z.object({ wa_id: z.string(), profile: z.object({ name: z.string() }) });

/** Whose elements are read one by one. */
const list = z.array(z.unknown()).catch([]);

const value = z.object({
  metadata: z.object({ phone_number_id: id(64) }),
  contacts: list,
  messages: list,
  statuses: list,
});

const notification = z.object({
  entry: z.array(
    z.object({ id: id(64), changes: z.array(z.object({ field: z.string().max(256), value: z.unknown() })) }),
  ),
});

/** Notifications that say: read the account's numbers and templates again. */
const accountFields =
  /^(message_template_\w+|template_category_update|phone_number_\w+|account_\w+|business_capability_update)$/;

/**
 * What a callback of the Cloud API tells, in its order; `undefined` when the body is none. What this platform has no use
 * for, and statuses and messages of kinds to come, are passed over: the notification has been understood.
 */
export function readWhatsAppCallback(body: Uint8Array): readonly ChatEvent[] | undefined {
  const parsed = notification.safeParse(parseJson(Buffer.from(body).toString('utf8'))).data;
  return parsed?.entry.flatMap(({ id, changes }) =>
    changes.flatMap((change) => {
      if (change.field === 'messages') return readMessages(change.value);
      return accountFields.test(change.field) ? [accountChanged(id, change.field)] : [];
    }),
  );
}

const accountChanged = (accountId: string, field: string): ChatEvent => ({
  id: `${accountId}:${field}`,
  type: 'account_changed',
  account_id: accountId,
});

function readMessages(change: unknown): ChatEvent[] {
  const parsed = value.safeParse(change).data;
  if (!parsed) return [];
  const { metadata } = parsed;
  const contacts = valid(contact, parsed.contacts);
  const nameOf = (from: string) => readable(contacts.find(({ wa_id }) => wa_id === from)?.profile.name);
  return [
    ...valid(message, parsed.messages)
      .filter(isOfCustomer)
      .map((each) => toEvent(metadata.phone_number_id, each, nameOf)),
    ...valid(status, parsed.statuses).map((each) => statusEvent(metadata.phone_number_id, each)),
  ];
}

/** The platform itself writes too, in the customer's name: that their number has changed, which opens no session. */
const isOfCustomer = ({ type }: z.output<typeof message>): boolean => type !== 'system';

/** One element that does not fit must not cost the others. */
const valid = <T>(schema: z.ZodType<T>, elements: readonly unknown[]): T[] =>
  elements.flatMap((element) => schema.safeParse(element).data ?? []);

function toEvent(
  phoneNumberId: string,
  received: z.output<typeof message>,
  nameOf: (from: string) => string | null,
): ChatEvent {
  const common = {
    id: received.id,
    phone_number_id: phoneNumberId,
    contact: toE164(received.from),
    at: isoTime(received.timestamp),
    message_id: received.id,
  };
  const reply = received.interactive?.call_permission_reply;
  if (reply)
    return {
      ...common,
      type: 'call_permission_replied',
      response: reply.response,
      is_permanent: reply.is_permanent,
      expires_at: reply.expiration_timestamp === undefined ? null : isoTime(reply.expiration_timestamp),
      request_message_id: received.context?.id ?? null,
    };
  return {
    ...common,
    type: 'message_received',
    name: nameOf(received.from),
    kind: storable(received.type),
    text: textOf(received),
  };
}

const textOf = ({ text, button, interactive }: z.output<typeof message>): string | null =>
  readable(text?.body ?? button?.text ?? interactive?.button_reply?.title ?? interactive?.list_reply?.title);

const readable = (text: string | undefined): string | null => (text === undefined ? null : storable(text));

const statusEvent = (phoneNumberId: string, changed: z.output<typeof status>): ChatEvent => {
  const [error] = changed.errors ?? [];
  return {
    id: `${changed.id}:${changed.status}`,
    type: 'message_status_changed',
    phone_number_id: phoneNumberId,
    contact: toE164(changed.recipient_id),
    at: isoTime(changed.timestamp),
    message_id: changed.id,
    status: changed.status,
    reference: readable(changed.biz_opaque_callback_data),
    error: error ? { code: storable(error.code), title: storable(error.title) } : null,
  };
};

const isoTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
