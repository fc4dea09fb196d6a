import type { LeadEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { timestamp } from '../../lead/item.ts';
import type { Variables } from '../../lead/lead.ts';
import { statusesAfter } from '../../lead/lead-status.ts';

export type RecordedLeadEvent = RecordedEvent & LeadEvent;

interface ContactPatch {
  readonly status: string;
  readonly updated_at: string;
}

/** What a batch of events comes to for one lead. A field that is absent is left as it is. */
export interface LeadChange {
  readonly id: number;
  /** Present when the batch itself created it. */
  readonly created?: RecordedLeadEvent & { readonly type: 'LeadCreated' };
  readonly isDeleted: boolean;
  readonly phoneNumber?: string;
  readonly variables?: Variables;
  readonly status?: string;
  readonly updatedAt?: string;
  /** From when on it waits to be reached out to, ISO 8601; null when it does not wait. */
  readonly waitsFrom?: string | null;
  readonly isInFlight?: boolean;
  readonly contacts: Readonly<Record<string, ContactPatch>>;
}

/** One change per lead, however many events a batch holds about it. */
export function leadChanges(events: readonly RecordedLeadEvent[]): LeadChange[] {
  const byStream = new Map<string, LeadChange>();
  for (const event of events) {
    const earlier = byStream.get(event.streamId) ?? nothingOf(event.streamId);
    byStream.set(event.streamId, applied(earlier, event));
  }
  return [...byStream.values()];
}

const nothingOf = (streamId: string): LeadChange => ({
  id: Number(streamId.slice('lead-'.length)),
  isDeleted: false,
  contacts: {},
});

function applied(change: LeadChange, event: RecordedLeadEvent): LeadChange {
  switch (event.type) {
    case 'LeadCreated': {
      const { phone_number: phoneNumber, variables, at } = event.data;
      return {
        ...change,
        created: event,
        phoneNumber,
        variables,
        status: 'created',
        updatedAt: timestamp(at),
        waitsFrom: at,
        isInFlight: false,
      };
    }
    case 'LeadPhoneNumberChanged': {
      const { phone_number: phoneNumber, variables, at } = event.data;
      return { ...change, phoneNumber, ...(variables && { variables }), updatedAt: timestamp(at) };
    }
    case 'LeadVariablesReplaced':
      return { ...change, variables: event.data.variables, updatedAt: timestamp(event.data.at) };
    case 'LeadReopened': {
      const { at } = event.data;
      return { ...change, status: 'created', updatedAt: timestamp(at), waitsFrom: at };
    }
    case 'LeadDeleted':
      return { ...change, isDeleted: true };
    case 'LeadQueued':
      return { ...attempted(change, event), waitsFrom: null, isInFlight: true };
    case 'LeadAttemptStarted':
    case 'LeadAttemptCorrected':
      return attempted(change, event);
    case 'LeadAttemptWithdrawn':
      return { ...attempted(change, event), waitsFrom: event.data.due_at, isInFlight: false };
    case 'LeadRetryDropped':
      return { ...attempted(change, event), waitsFrom: event.data.next?.due_at ?? null };
    case 'LeadAttemptEnded':
      return { ...attempted(change, event), waitsFrom: event.data.next?.due_at ?? null, isInFlight: false };
    default:
      return event satisfies never;
  }
}

type RecordedAttempt = Extract<RecordedLeadEvent, { data: { attempt: number } }>;

function attempted(change: LeadChange, event: RecordedAttempt): LeadChange {
  const { contact_id: contactId, at } = event.data;
  const updatedAt = timestamp(at);
  const { lead: status, contact } = statusesAfter(event);
  const contacts =
    contactId === null
      ? change.contacts
      : { ...change.contacts, [contactId]: { status: contact, updated_at: updatedAt } };
  return { ...change, status, updatedAt, contacts };
}

/** The contacts of a lead that the batch created, as they are shown. */
export const createdContacts = ({ created, contacts }: LeadChange): object[] =>
  (created?.data.secondary_contacts ?? []).map((contact) => ({
    ...contact,
    status: 'created',
    created_at: timestamp(created?.data.at ?? ''),
    updated_at: timestamp(created?.data.at ?? ''),
    ...contacts[contact.id],
  }));
