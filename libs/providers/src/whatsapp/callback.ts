import { type ChatEvent, dropUnstorable, isUnspoken, type MessageReferences } from '@parley/contracts';
import { parseJson } from '@parley/process-kit';
import { z } from 'zod';
import {
  contactOf,
  digits,
  epochSeconds,
  id,
  isoTime,
  list,
  number,
  ofMessage,
  userId,
  valid,
} from './fields.ts';
import { moveOf } from './moved.ts';
import { readPreferences } from './preferences.ts';
import { context, referencesOf } from './references.ts';
import { answered, kindOf, readable, spoken, textOf, unsupported } from './spoken.ts';

const message = z.object({
  id: id(500),
  from: number,
  from_user_id: userId,
  timestamp: epochSeconds,
  /** Missing in the platform's documented examples of permission replies. */
  type: z.string().default('unknown'),
  unsupported,
  ...spoken,
  context: context.optional().catch(undefined),
  interactive: z
    .object({
      type: z.string(),
      ...answered,
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

/** A message that the business wrote in the platform's own app. The recipient's number has a plus at times. */
const echo = z.object({
  id: id(500),
  to: z
    .string()
    .transform((told) => told.replace(/^\+/, ''))
    .pipe(digits)
    .optional()
    .catch(undefined),
  to_user_id: userId,
  timestamp: epochSeconds,
  type: z.string(),
  unsupported,
  ...spoken,
});

const status = z.object({
  id: id(500),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  timestamp: epochSeconds,
  recipient_id: number,
  recipient_user_id: userId,
  biz_opaque_callback_data: z.string().optional(),
  errors: z
    .array(
      z.object({
        code: z.coerce.string(),
        title: z.string().optional().catch(undefined),
        /** Says more than the title, such as why a picture could not be fetched. */
        error_data: z.object({ details: z.string() }).optional().catch(undefined),
      }),
    )
    .optional()
    // That it failed is to be on record, whatever is said of why.
    .catch(undefined),
});

const contact = z.object({
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  profile: z.object({ name: z.string() }),
});

const value = z.object({
  metadata: z.object({ phone_number_id: id(64) }),
  contacts: list,
  messages: list,
  message_echoes: list,
  statuses: list,
});

const notification = z.object({
  entry: z.array(
    z.object({ id: id(64), changes: z.array(z.object({ field: z.string().max(256), value: z.unknown() })) }),
  ),
});

/** Notification fields on which the account's numbers and templates are read again. */
const accountFields =
  /^(message_template_\w+|template_category_update|phone_number_\w+|account_\w+|business_capability_update)$/;

/**
 * The events in a callback of the Cloud API, in its order; `undefined` when the body is no callback. Events that this
 * platform has no use for, and statuses of kinds to come, are skipped: the notification counts as understood.
 * `onUnread` is called for each customer message that cannot be read, with the number that it was sent to.
 */
export function readWhatsAppCallback(
  body: Uint8Array,
  onUnread: (phoneNumberId: string) => void = () => undefined,
): readonly ChatEvent[] | undefined {
  const parsed = notification.safeParse(parseJson(Buffer.from(body).toString('utf8'))).data;
  return parsed?.entry.flatMap(({ id, changes }) =>
    changes.flatMap((change) => {
      if (change.field === 'messages') return readMessages(change.value, onUnread);
      if (change.field === 'smb_message_echoes') return readEchoes(change.value);
      if (change.field === 'user_preferences') return readPreferences(change.value);
      return accountFields.test(change.field) ? [accountChanged(id, change.field)] : [];
    }),
  );
}

const accountChanged = (accountId: string, field: string): ChatEvent => ({
  id: `${accountId}:${field}`,
  type: 'account_changed',
  account_id: accountId,
});

function readMessages(change: unknown, onUnread: (phoneNumberId: string) => void): ChatEvent[] {
  const parsed = value.safeParse(change).data;
  if (!parsed) return [];
  const { phone_number_id: phoneNumberId } = parsed.metadata;
  const contacts = valid(contact, parsed.contacts);
  const nameOf = ({ from, from_user_id }: Received) =>
    contacts.find(({ wa_id, user_id }) => (from === undefined ? user_id === from_user_id : wa_id === from))
      ?.profile.name;
  const messages = parsed.messages.flatMap((element) => {
    if (!isForNumber(element)) return moveOf(phoneNumberId, element);
    const received = message.safeParse(element).data;
    const event =
      received && toEvent(phoneNumberId, received, readable(nameOf(received)), referencesOf(element));
    if (!event) onUnread(phoneNumberId);
    return event ?? [];
  });
  return [...messages, ...valid(status, parsed.statuses).flatMap((each) => statusEvent(phoneNumberId, each))];
}

/** Messages that the business wrote in the platform's own app, without deletions and reactions. */
function readEchoes(change: unknown): ChatEvent[] {
  const parsed = value.safeParse(change).data;
  if (!parsed) return [];
  return valid(echo, parsed.message_echoes.filter(isForNumber)).flatMap((sent): ChatEvent[] => {
    const contact = contactOf(sent.to, sent.to_user_id);
    const kind = kindOf(sent);
    if (contact === undefined || isUnspoken(kind)) return [];
    const told = ofMessage(parsed.metadata.phone_number_id, contact, sent);
    return [{ ...told, type: 'message_sent_by_hand', kind, text: textOf(sent) }];
  });
}

/**
 * Whether a message is for the number itself. `system`: the platform writes it in the customer's name. `group_id`:
 * written to a group for all its members, so not to be answered in private.
 */
const isForNumber = (element: unknown): boolean => {
  const { type, group_id } = Object(element);
  return type !== 'system' && group_id === undefined;
};

type Received = z.output<typeof message>;

function toEvent(
  phoneNumberId: string,
  received: Received,
  name: string | null,
  references: MessageReferences,
): ChatEvent | undefined {
  const contact = contactOf(received.from, received.from_user_id);
  if (contact === undefined) return undefined;
  const told = ofMessage(phoneNumberId, contact, received);
  const reply = received.interactive?.call_permission_reply;
  if (reply)
    return {
      ...told,
      type: 'call_permission_replied',
      response: reply.response,
      is_permanent: reply.is_permanent,
      expires_at: reply.expiration_timestamp === undefined ? null : isoTime(reply.expiration_timestamp),
      request_message_id: received.context?.id ?? null,
    };
  return {
    ...told,
    type: 'message_received',
    name,
    kind: kindOf(received),
    text: textOf(received),
    ...references,
  };
}

function statusEvent(phoneNumberId: string, changed: z.output<typeof status>): ChatEvent[] {
  const contact = contactOf(changed.recipient_id, changed.recipient_user_id);
  if (contact === undefined) return [];
  const [error] = changed.errors ?? [];
  const event: ChatEvent = {
    ...ofMessage(phoneNumberId, contact, changed),
    id: `${changed.id}:${changed.status}`,
    type: 'message_status_changed',
    status: changed.status,
    reference: readable(changed.biz_opaque_callback_data),
    error: error
      ? { code: dropUnstorable(error.code), reason: readable(error.error_data?.details ?? error.title) }
      : null,
  };
  return [event];
}
