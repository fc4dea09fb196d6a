import { readWhatsAppCallback } from '../whatsapp.ts';

export const read = (body: unknown) => readWhatsAppCallback(Buffer.from(JSON.stringify(body)));

export const changed = (field: string, value: unknown) => ({
  entry: [{ id: '22', changes: [{ field, value }] }],
});

export const metadata = { display_phone_number: '16315553601', phone_number_id: '11' };

/** A message that replaces the text of an earlier one. */
export const corrected = (message: object) => ({
  type: 'edit',
  edit: { original_message_id: 'wamid.0', message: { context: { id: 'x' }, ...message } },
});

/** Fields that the events of all example messages have. */
export const common = {
  id: 'wamid.1',
  phone_number_id: '11',
  contact: '+491711234567',
  at: '2027-01-15T08:00:00.000Z',
  message_id: 'wamid.1',
};

/** What is told of a message of a customer that goes back to nothing. */
export const said = {
  ...common,
  type: 'message_received',
  in_reply_to_sid: null,
  is_forwarded: false,
  payload: null,
  referral: null,
} as const;
