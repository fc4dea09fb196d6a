import type { AutomationEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import { type Automation, automation } from './automation.ts';

/** An automation with the times that the view keeps of it, ISO 8601. */
type PastAutomation = {
  readonly automation: NonNullable<Automation>;
  readonly createdAt: string;
  readonly updatedAt: string;
} | null;

/** An automation folded from its events alone, for moments that no view remembers. */
export const pastAutomation: Fold<PastAutomation, AutomationEvent> = {
  initialState: null,
  evolve(state, event) {
    const before = state?.automation ?? null;
    const after = automation.evolve(before, event);
    if (after === before || !after) return after && state;
    const at = 'at' in event.data ? event.data.at : (state?.updatedAt ?? '');
    return { automation: after, createdAt: state?.createdAt ?? at, updatedAt: at };
  },
};
