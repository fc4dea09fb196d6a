import type { RecordedEvent } from '@parley/event-store';

const tellTypes = ['LeadCreated', 'LeadReopened', 'LeadQueued'];

/** Another number has its own attempts: where a run gave it, they go back to that one; else to whatever they did. */
export const tellsDepth = ({ type, metadata: { chainDepth } }: RecordedEvent): boolean =>
  tellTypes.includes(type) || (type === 'LeadPhoneNumberChanged' && chainDepth !== undefined);

/**
 * How deep the run of an automation is that added the lead of these events, or opened it anew or gave it another number
 * since; undefined where none did. What an attempt leads to may start another run. Each attempt says what the one before it
 * said, so that the ends of its stream tell.
 */
export const chainDepthOfLead = (events: readonly RecordedEvent[]): number | undefined =>
  events.findLast(tellsDepth)?.metadata.chainDepth;
