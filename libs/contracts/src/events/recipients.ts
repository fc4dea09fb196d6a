import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

export const RecipientAdmitted = defineEvent({
  service: 'messaging',
  category: 'recipients',
  version: 1,
  type: 'RecipientAdmitted',
  summary: "A recipient took a place within the sender's limit of unique recipients in 24 hours.",
  personal: { subject: 'contact_phone', fields: ['contact_phone'] },
  data: z.object({ sender_id: z.int(), message_id: z.int(), contact_phone: z.string() }),
});

export type RecipientsEvent = EventOf<typeof RecipientAdmitted>;
