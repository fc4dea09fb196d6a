import type { CallEvent, getCall, OperationSuccess } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import { callsView } from '../views/calls-view.ts';
import { fieldsOf } from './item.ts';

type Item = OperationSuccess<typeof getCall>['data'];

const handled: ReadonlySet<string> = new Set(callsView.handles);

/** A call as the view shows it, folded from its own events, for moments in the past. */
export const pastCall: Fold<Item | null, CallEvent> = {
  initialState: null,
  evolve(item, event) {
    if (!handled.has(event.type)) return item;
    const { room: _, ...fields } = fieldsOf(event);
    const begins = event.type === 'CallRequested' || event.type === 'CallArrived';
    // The first event sets every field.
    return item || begins ? ({ ...item, ...fields } as Item) : null;
  },
};
