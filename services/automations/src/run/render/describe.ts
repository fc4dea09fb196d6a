import type { RunEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { trialPrefix } from '../run.ts';

const erasedBecause = {
  retention: 'a month after its end, as of each run',
  request: 'with a person that it mentioned',
} as const;

/** A sentence for people, where the event's summary says too little; undefined for other events. */
export function describeRunEvent(recorded: RecordedEvent): string | undefined {
  // A run's stream holds these events only.
  const { type, data } = recorded as RecordedEvent & RunEvent;
  switch (type) {
    case 'RunStarted':
      return data.trigger.event_id.startsWith(trialPrefix)
        ? 'Somebody tried the automation with a sample, by a run that does what its steps say.'
        : undefined;
    case 'StepStarted':
      return data.takeover > 0
        ? `Step ${data.step} is done again: the process that worked on it is gone.`
        : undefined;
    case 'StepRetryScheduled': {
      const { at, after_ms, code, message, step } = data;
      const again = new Date(Date.parse(at) + after_ms).toISOString();
      return `Step ${step} failed for now, and is tried again at ${again}: [${code}] ${message}`;
    }
    case 'RunPayloadsErased':
      return `What the run worked on was erased ${erasedBecause[data.why]}; it cannot be retried any more.`;
    default:
      return undefined;
  }
}
