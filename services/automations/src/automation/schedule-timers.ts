import { AutomationCreated } from '@parley/contracts';
import { Aggregates, type EventStore } from '@parley/event-store';
import type { StandingTimers } from '@parley/service-kit';
import { automation } from './automation.ts';
import { scheduleTimer } from './schedule-timer.ts';

/** After an import: each enabled automation with a schedule gets a timer for its next moment again. */
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
