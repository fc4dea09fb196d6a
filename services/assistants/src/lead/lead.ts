import type { LeadCreated, LeadEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import type { z } from 'zod';
import { type AttemptEvent, type LeadStatus, statusesAfter } from './lead-status.ts';
import { isSameLine, lineOf } from './phone-number.ts';

/** What customers know of a lead or a contact: any JSON values by name, filled into messages and told to assistants. */
export type Variables = z.output<typeof LeadCreated.data>['variables'];

/** Somebody else to call for a lead, where the lead itself does not answer; times are ISO 8601. */
interface Contact {
  readonly id: number;
  readonly phoneNumber: string;
  readonly variables: Variables;
  readonly status: LeadStatus;
  readonly updatedAt: string;
}

/** An attempt that was decided on and has not ended. */
interface Attempt {
  /** From 1, over all contacts of the lead and including withdrawn ones. */
  readonly number: number;
  /** Null: the lead itself. */
  readonly contactId: number | null;
  /** The service's id of the call or message; null until the service answered. */
  readonly reference: string | null;
  /** The lead's own number at the time this attempt was queued. */
  readonly phoneNumber: string;
  /** The lead has another number since: under this attempt's command id the service may know the one before. */
  readonly isOutdated: boolean;
}

/** Null before it is created and after it is deleted. Its account stands on the stream's events; times are ISO 8601. */
export type Lead = {
  readonly id: number;
  readonly campaignId: number;
  readonly phoneNumber: string;
  readonly variables: Variables;
  readonly contacts: readonly Contact[];
  readonly status: LeadStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The number of the newest attempt; 0 before the first. */
  readonly attempts: number;
  /** Since when nobody knows whether the newest attempt reached somebody; null where nobody has said so. */
  readonly unknownSince: string | null;
  /** Who was tried last (null: the lead itself), and how often in a row at the present number. */
  readonly tried: { readonly contactId: number | null; readonly times: number };
  /** The lines that attempts were made at, of the lead and its contacts, since the lead came or was reopened. */
  readonly triedLines: readonly string[];
  readonly attempt: Attempt | null;
  /**
   * An attempt that was given back because its campaign was stopped, its window closed, or its service could not serve
   * it at present. It may have been asked for all the same, so it is made again under its own number, and whatever is
   * told of it counts.
   */
  readonly withdrawn: Pick<Attempt, 'number' | 'contactId'> | null;
  /** Why the newest attempt was withdrawn, or what its outcome does not say; null where there is no such reason. */
  readonly reason: string | null;
  /** The reference that an attempt was last started with; null before the first. */
  readonly heardOf: string | null;
  /**
   * Which contact (null: the lead itself) is next, and from when on; null while an attempt goes on, and when nothing is
   * left to do.
   */
  readonly next: {
    readonly contactId: number | null;
    readonly dueAt: string;
    /**
     * Given back until `dueAt` because something stood against it, which may be over when the campaign is started anew.
     */
    readonly isHeldUp?: boolean;
  } | null;
} | null;

/** A lead that exists. */
export type LiveLead = NonNullable<Lead>;

/** The number of the lead, or of one of its contacts, as it is now. */
export const numberOf = (
  { contacts, phoneNumber }: Pick<LiveLead, 'contacts' | 'phoneNumber'>,
  contactId: number | null,
): string => contacts.find(({ id }) => id === contactId)?.phoneNumber ?? phoneNumber;

export const leadCategory = 'lead';
export const leadStream = (id: number): string => `${leadCategory}-${id}`;

export const lead: Fold<Lead, LeadEvent> = {
  initialState: null,
  evolve(state, event) {
    if (event.type === 'LeadCreated') return createdLead(event.data);
    return state && evolved(state, event);
  },
};

function createdLead(data: z.output<typeof LeadCreated.data>): LiveLead {
  return {
    id: data.id,
    campaignId: data.campaign_id,
    phoneNumber: data.phone_number,
    variables: data.variables,
    contacts: data.secondary_contacts.map(({ id, phone_number: phoneNumber, variables }) => ({
      id,
      phoneNumber,
      variables,
      status: 'created',
      updatedAt: data.at,
    })),
    status: 'created',
    createdAt: data.at,
    updatedAt: data.at,
    attempts: 0,
    unknownSince: null,
    tried: { contactId: null, times: 0 },
    triedLines: [],
    attempt: null,
    withdrawn: null,
    reason: null,
    heardOf: null,
    next: { contactId: null, dueAt: data.at },
  };
}

function evolved(state: LiveLead, event: Exclude<LeadEvent, { type: 'LeadCreated' }>): Lead {
  switch (event.type) {
    case 'LeadPhoneNumberChanged': {
      const { phone_number: phoneNumber, variables, at: updatedAt } = event.data;
      const moved = { ...state, phoneNumber, variables: variables ?? state.variables, updatedAt };
      return isSameLine(phoneNumber, state.phoneNumber)
        ? moved
        : { ...moved, ...triedAt(phoneNumber, state) };
    }
    case 'LeadVariablesReplaced':
      return { ...state, variables: event.data.variables, updatedAt: event.data.at };
    case 'LeadReopened': {
      const { at } = event.data;
      return {
        ...state,
        status: 'created',
        updatedAt: at,
        tried: { contactId: null, times: 0 },
        triedLines: [],
        reason: null,
        next: { contactId: null, dueAt: at },
      };
    }
    case 'LeadDeleted':
      return null;
    case 'LeadQueued': {
      const { attempt: number, contact_id: contactId } = event.data;
      const times = state.tried.contactId === contactId ? state.tried.times + 1 : 1;
      return {
        ...withStatuses(state, event),
        attempts: number,
        unknownSince: number === state.attempts ? state.unknownSince : null,
        tried: { contactId, times },
        triedLines: [...new Set([...state.triedLines, lineOf(numberOf(state, contactId))])],
        attempt: { number, contactId, reference: null, phoneNumber: state.phoneNumber, isOutdated: false },
        withdrawn: null,
        reason: null,
        next: null,
      };
    }
    case 'LeadAttemptWithdrawn': {
      const {
        attempt: number,
        contact_id: contactId,
        at,
        due_at: dueAt,
        reason,
        is_outcome_unknown,
      } = event.data;
      const isOutdated = state.attempt?.isOutdated ?? false;
      return {
        ...withStatuses(state, event),
        tried: isOutdated ? state.tried : { ...state.tried, times: state.tried.times - 1 },
        attempt: null,
        unknownSince: is_outcome_unknown === false ? state.unknownSince : (state.unknownSince ?? at),
        // An attempt that was refused for now is due later, and is made under a new number.
        withdrawn: dueAt === at && !isOutdated ? { number, contactId } : null,
        reason,
        next: { contactId, dueAt, isHeldUp: dueAt !== at },
      };
    }
    case 'LeadAttemptStarted': {
      const { attempt: number, contact_id: contactId, reference } = event.data;
      const times = state.tried.times + (state.withdrawn ? 1 : 0);
      return {
        ...withStatuses(state, event),
        tried: { ...state.tried, times },
        attempt: {
          ...{ number, contactId, reference },
          phoneNumber: state.attempt?.phoneNumber ?? state.phoneNumber,
          isOutdated: state.attempt?.isOutdated ?? false,
        },
        withdrawn: null,
        reason: null,
        heardOf: reference,
        next: null,
      };
    }
    case 'LeadAttemptEnded':
    case 'LeadRetryDropped': {
      const { next } = event.data;
      return {
        ...withStatuses(state, event),
        attempt: null,
        reason: event.type === 'LeadAttemptEnded' ? event.data.reason : state.reason,
        next: next && { contactId: next.contact_id, dueAt: next.due_at },
      };
    }
    case 'LeadAttemptCorrected':
      return { ...withStatuses(state, event), reason: null };
    default:
      return state;
  }
}

/**
 * What follows from another number of the lead itself: it was not tried yet, unless it is the one that the present
 * attempt is made at, which the lead may have got back.
 */
function triedAt(
  phoneNumber: string,
  { attempt: before, tried, withdrawn }: LiveLead,
): Pick<LiveLead, 'attempt' | 'tried' | 'withdrawn'> {
  const attempt =
    before?.contactId === null
      ? { ...before, isOutdated: !isSameLine(phoneNumber, before.phoneNumber) }
      : before;
  const times = attempt && !attempt.isOutdated ? 1 : 0;
  return {
    attempt,
    tried: tried.contactId === null ? { contactId: null, times } : tried,
    withdrawn: withdrawn?.contactId === null ? null : withdrawn,
  };
}

function withStatuses(state: LiveLead, event: AttemptEvent): LiveLead {
  const { contact_id: contactId, at: updatedAt } = event.data;
  const { lead: status, contact } = statusesAfter(event);
  return {
    ...state,
    status,
    updatedAt,
    contacts:
      contactId === null
        ? state.contacts
        : state.contacts.map((each) =>
            each.id === contactId ? { ...each, status: contact, updatedAt } : each,
          ),
  };
}
