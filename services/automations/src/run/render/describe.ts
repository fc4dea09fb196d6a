import type { RunEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/** A sentence for people, where the event's summary says too little; undefined for other events. */
export function describeRunEvent(recorded: RecordedEvent): string | undefined {
  // A run's stream holds these events only.
  const { type, data } = recorded as RecordedEvent & RunEvent;
  if (type !== 'StepRetryScheduled') return undefined;
  const { at, after_ms, code, message, step } = data;
  const again = new Date(Date.parse(at) + after_ms).toISOString();
  return `Step ${step} failed for now, and is tried again at ${again}: [${code}] ${message}`;
}
