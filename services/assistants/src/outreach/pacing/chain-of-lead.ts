import type { RecordedEvent } from '@parley/event-store';

const tellTypes = ['LeadCreated', 'LeadReopened', 'LeadQueued'];

/**
 * Whether an event tells the chain depth of attempts that follow. A new number does only where a run of an automation
 * gave it; otherwise they go back to whatever they did before.
 */
export const tellsDepth = ({ type, metadata: { chainDepth } }: RecordedEvent): boolean =>
  tellTypes.includes(type) || (type === 'LeadPhoneNumberChanged' && chainDepth !== undefined);

/**
 * Chain depth of the run of an automation that added the lead, reopened it or gave it another number, whichever was
 * last; undefined where none did. Attempts carry it, because what they lead to may start another run. Each `LeadQueued`
 * repeats it, so the ends of the stream are enough.
 */
export const chainDepthOfLead = (events: readonly RecordedEvent[]): number | undefined =>
  events.findLast(tellsDepth)?.metadata.chainDepth;
