import type { LeadEvent, leadStatuses } from '@parley/contracts';

export type LeadStatus = (typeof leadStatuses)[number];

/** Events about an attempt, from which the statuses of leads and contacts follow. */
export type AttemptEvent = Extract<
  LeadEvent,
  {
    type:
      | 'LeadQueued'
      | 'LeadAttemptWithdrawn'
      | 'LeadAttemptStarted'
      | 'LeadAttemptEnded'
      | 'LeadRetryDropped'
      | 'LeadAttemptCorrected';
  }
>;

/** The statuses of a lead and of the contact that an attempt is about, after an event of that attempt. */
export function statusesAfter(event: AttemptEvent): {
  readonly lead: LeadStatus;
  readonly contact: LeadStatus;
} {
  switch (event.type) {
    case 'LeadQueued':
      return { lead: 'queued', contact: 'queued' };
    case 'LeadAttemptStarted':
      return { lead: 'in_progress', contact: 'in_progress' };
    case 'LeadAttemptWithdrawn':
      return { lead: 'queued', contact: 'queued' };
    case 'LeadAttemptEnded': {
      const { contact_id: contactId, outcome, next } = event.data;
      return {
        lead: next ? 'queued' : outcome,
        contact: next?.contact_id === contactId ? 'queued' : outcome,
      };
    }
    case 'LeadRetryDropped':
      // Only who did not answer is tried again.
      return { lead: event.data.next ? 'queued' : 'no_answer', contact: 'no_answer' };
    case 'LeadAttemptCorrected':
      return { lead: 'completed', contact: 'completed' };
    default:
      return event satisfies never;
  }
}
