import type { VoiceWebhookEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { offBecause } from '../assistant/describe.ts';

/** A sentence for people, where the event's summary says too little; undefined for other events. */
export function describeVoiceWebhookEvent(recorded: RecordedEvent): string | undefined {
  // The stream of an account's voice webhook holds these events only.
  const { type, data } = recorded as RecordedEvent & VoiceWebhookEvent;
  return type === 'VoiceWebhookDisabled'
    ? `The voice webhook was turned off, because ${offBecause[data.reason]}.`
    : undefined;
}
