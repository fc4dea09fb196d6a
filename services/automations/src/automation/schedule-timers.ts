import { AutomationCreated } from '@parley/contracts';
import { Aggregates, type EventStore } from '@parley/event-store';
import type { StandingTimers } from '@parley/service-kit';
import { automation } from './automation.ts';
import { scheduleTimer } from './schedule-timer.ts';

/** Each enabled automation with a schedule has a timer for its next moment. */
export function scheduleTimers(store: EventStore): StandingTimers {
  const aggregates = new Aggregates(store);
  return {
    types: [AutomationCreated.type],
    async of({ streamId }) {
      const { state } = await aggregates.load(streamId, automation);
      const next = state?.isEnabled && scheduleTimer(state.id, state.definition, await store.now());
      return next ? [next] : [];
    },
  };
}
