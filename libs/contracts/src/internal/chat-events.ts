import { z } from 'zod';
import { messageReferences } from '../message-references.ts';
import { hiddenCustomer } from '../person/person.ts';

/** E.164; of a customer who hides their number, what the platform calls them. */
const contact = z.string().regex(new RegExp(`^(?:\\+\\d{5,20}|${hiddenCustomer.source})$`));

const ofContact = {
  /** The platform's id of what happened: the same however often it is told. It is on record as the cause, and not sealed. */
  id: z.string().min(1).max(512),
  /** The platform's id of the business number. */
  phone_number_id: z.string().min(1).max(64),
  contact,
  /** When it happened, by the platform's clock; ISO 8601 in UTC, whole seconds. */
  at: z.iso.datetime(),
};

/** A customer wrote. `text` is null for what has none (pictures without a caption, recordings, …); `kind` names what it is. */
const chatMessageReceived = z.object({
  ...ofContact,
  type: z.literal('message_received'),
  message_id: z.string(),
  /** What the customer is called in the chat app. */
  name: z.string().nullable(),
  kind: z.string(),
  text: z.string().nullable(),
  ...messageReferences,
});

/** A person of the business wrote to the customer in the chat platform's own app, where the number is in use there as well. */
const chatMessageSentByHand = z.object({
  ...ofContact,
  type: z.literal('message_sent_by_hand'),
  message_id: z.string(),
  kind: z.string(),
  text: z.string().nullable(),
});

/** A customer answered a call permission request, or took a permission back (a `reject` without a request). */
const callPermissionReplied = z.object({
  ...ofContact,
  type: z.literal('call_permission_replied'),
  message_id: z.string(),
  response: z.enum(['accept', 'reject']),
  is_permanent: z.boolean(),
  /** Of a temporary permission. */
  expires_at: z.iso.datetime().nullable(),
  /** The platform's id of the request; null when the customer changed the permission without being asked. */
  request_message_id: z.string().nullable(),
});

/** A message of ours got further, or failed. Statuses arrive in any order. */
const messageStatusChanged = z.object({
  ...ofContact,
  type: z.literal('message_status_changed'),
  message_id: z.string(),
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  /** Our own word for the message, as it was sent (`OutgoingMessage.reference`). */
  reference: z.string().nullable(),
  /** Why it failed; `reason` is the platform's, for people. */
  error: z.object({ code: z.string(), reason: z.string().nullable() }).nullable(),
});

/** A customer has another number, or the platform calls who hides theirs otherwise; `contact` is how they were known. */
const chatContactMoved = z.object({
  ...ofContact,
  type: z.literal('contact_moved'),
  message_id: z.string(),
  moved_to: contact,
});

/** A customer wants no marketing messages of the number any more, or wants them again. */
export const marketingPreferenceChanged = z.object({
  ...ofContact,
  type: z.literal('marketing_preference_changed'),
  is_stopped: z.boolean(),
});

/** Templates or numbers of an account are no longer what they were: they are read again. */
const chatAccountChanged = z.object({
  id: z.string().min(1).max(512),
  type: z.literal('account_changed'),
  /** The platform's id of the account. */
  account_id: z.string().min(1).max(64),
});

/** What the chat platform tells us, whatever its wire format. */
export const chatEvent = z.discriminatedUnion('type', [
  chatMessageReceived,
  chatMessageSentByHand,
  callPermissionReplied,
  messageStatusChanged,
  chatContactMoved,
  marketingPreferenceChanged,
  chatAccountChanged,
]);
export type ChatEvent = z.output<typeof chatEvent>;
export type ChatContactEvent = Exclude<ChatEvent, { type: 'account_changed' }>;
