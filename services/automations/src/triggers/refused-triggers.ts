import type { AutomationEvent, AutomationTriggerRefused, EventOf } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** Why a trigger event started no run, as it is recorded. */
export type Refusal = EventOf<typeof AutomationTriggerRefused>['data'];

/** Time of the last refusal on record, ISO 8601, by reason. */
type Refusals = Readonly<Partial<Record<Refusal['reason'], string>>>;

/**
 * How long further refusals for the same reason are not recorded: a loop, or an import of thousands, is refused again
 * and again, and the history has to stay readable.
 */
const quietMs = 60 * 60 * 1000;

export const refusals: Fold<Refusals, AutomationEvent> = {
  initialState: {},
  evolve: (state, event) =>
    event.type === 'AutomationTriggerRefused' ? { ...state, [event.data.reason]: event.data.at } : state,
};

/** The event that records why a trigger started no run; none when that reason was recorded within the last hour. */
export function recordRefusal(state: Refusals, refusal: Refusal): readonly AutomationEvent[] {
  const told = state[refusal.reason];
  if (told !== undefined && Date.parse(refusal.at) - Date.parse(told) < quietMs) return [];
  return [{ type: 'AutomationTriggerRefused', data: refusal }];
}
