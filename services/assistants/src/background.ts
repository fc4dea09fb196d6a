import { createClock } from '@parley/event-store';
import type { Background, BackgroundParts } from '@parley/service-kit';
import { forgetGoneNumbers } from './assistant/numbers/forget-gone-numbers.ts';
import { forgetDeleted } from './assistant/references/forget-deleted.ts';
import { forgetPerson } from './lead/forget-person.ts';
import { outreachBackground } from './outreach/outreach-background.ts';
import { webhookBackground } from './webhook-delivery/webhook-background.ts';

/** What the service does beside requests: the background work of its slices together. */
export function assistantsBackground(parts: BackgroundParts): Background {
  const outreach = outreachBackground(parts);
  const slices: readonly Background[] = [
    { reactors: [forgetDeleted(parts.sql), ...forgetGoneNumbers(parts)] },
    webhookBackground(parts),
    outreach,
  ];
  return {
    reactors: slices.flatMap(({ reactors = [] }) => reactors),
    timers: Object.assign({}, ...slices.map(({ timers }) => timers)),
    standingTimers: outreach.standingTimers,
    endDealings: forgetPerson({ clock: createClock(parts.sql), sql: parts.sql, store: parts.store }),
    close: () => Promise.all(slices.map(({ close }) => close?.())),
  };
}
