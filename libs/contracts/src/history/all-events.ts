import * as everyEvent from '../events/all.ts';
import type { EventDefinition } from './event.ts';
import { publicEventsOf } from './public-events.ts';

/** Every event that was ever written; golden files and the AsyncAPI document derive from it. */
export const events: readonly EventDefinition[] = Object.values(everyEvent);

const summaries = new Map(events.map(({ type, summary }) => [type, summary]));

/** What its contract says of an event, in one sentence. */
export const summaryOf = ({ type }: { readonly type: string }): string => summaries.get(type) ?? type;

/** What accounts and subscribers outside see of events. */
export const publicEvents = publicEventsOf(events);
