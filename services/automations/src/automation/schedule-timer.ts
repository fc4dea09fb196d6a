import type { AutomationDefinition } from '@parley/contracts';
import type { TimerRequest } from '@parley/event-store';
import { Schedule } from '../triggers/schedule.ts';

/** The kind of the one timer that each enabled automation with a schedule has: its next moment. */
export const scheduleTimerKind = 'automation-schedule';

export const scheduleTimerId = (automationId: number): string => `${scheduleTimerKind}:${automationId}`;

/** The first moment after `now`; undefined for automations without a schedule, and for one that never comes again. */
export function scheduleTimer(
  automationId: number,
  { trigger, timezone = 'UTC' }: Pick<AutomationDefinition, 'trigger' | 'timezone'>,
  now: Date,
): TimerRequest | undefined {
  if (trigger.type !== 'schedule') return undefined;
  const next = new Schedule(trigger.cron, trigger.timezone ?? timezone).next(now);
  if (!next) return undefined;
  const at = next.toISOString();
  return {
    id: scheduleTimerId(automationId),
    kind: scheduleTimerKind,
    due: { at },
    payload: { automation_id: automationId, scheduled_at: at },
  };
}
