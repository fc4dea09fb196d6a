import * as everyEvent from '../events/all.ts';
import type { EventDefinition } from './event.ts';
import { publicEventsOf } from './public-events.ts';

/** Every event that was ever written; golden files and the AsyncAPI document derive from it. */
export const events: readonly EventDefinition[] = Object.values(everyEvent);

/** What accounts and subscribers outside see of events. */
export const publicEvents = publicEventsOf(events);
