import type { AutomationDefinition } from '@parley/contracts';
import type { TimerRequest } from '@parley/event-store';
import { Schedule } from '../triggers/schedule.ts';

/** The kind of the one timer of each enabled automation with a schedule, which is due at its next moment. */
export const scheduleTimerKind = 'automation-schedule';

/** Id of that timer. */
export const scheduleTimerId = (automationId: number): string => `${scheduleTimerKind}:${automationId}`;

/** The first moment of a schedule after the given one; undefined for other triggers, and when none comes again. */
export function nextMoment(
  { trigger, timezone = 'UTC' }: Pick<AutomationDefinition, 'trigger' | 'timezone'>,
  after: Date,
): Date | undefined {
  if (trigger.type !== 'schedule') return undefined;
  return new Schedule(trigger.cron, trigger.timezone ?? timezone).next(after) ?? undefined;
}

/**
 * The timer of the first moment after `now`; undefined for automations without a schedule, and for one that never comes
 * again.
 */
export function scheduleTimer(
  automationId: number,
  definition: Pick<AutomationDefinition, 'trigger' | 'timezone'>,
  now: Date,
): TimerRequest | undefined {
  const at = nextMoment(definition, now)?.toISOString();
  if (at === undefined) return undefined;
  return {
    id: scheduleTimerId(automationId),
    kind: scheduleTimerKind,
    due: { at },
    payload: { automation_id: automationId, scheduled_at: at },
  };
}
