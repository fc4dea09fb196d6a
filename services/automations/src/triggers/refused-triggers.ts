import type { AutomationEvent, AutomationTriggerRefused, EventOf } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

export type Refusal = EventOf<typeof AutomationTriggerRefused>['data'];

/** By their reasons: when the last one that is on record was, ISO 8601. */
type Refusals = Readonly<Partial<Record<Refusal['reason'], string>>>;

/** A loop, or an import of thousands, is refused as often as it comes round: its history stays readable. */
const quietMs = 60 * 60 * 1000;

export const refusals: Fold<Refusals, AutomationEvent> = {
  initialState: {},
  evolve: (state, event) =>
    event.type === 'AutomationTriggerRefused' ? { ...state, [event.data.reason]: event.data.at } : state,
};

/** What goes on record of a trigger that started no run: nothing when its reason was told within the last hour. */
export function recordRefusal(state: Refusals, refusal: Refusal): readonly AutomationEvent[] {
  const told = state[refusal.reason];
  if (told !== undefined && Date.parse(refusal.at) - Date.parse(told) < quietMs) return [];
  return [{ type: 'AutomationTriggerRefused', data: refusal }];
}
