import type { AppendRequest, SqlExecutor } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { z } from 'zod';
import { automationCategory, automationStream } from '../automation/automation.ts';
import { scheduleTimer } from '../automation/schedule-timer.ts';
import type { Definitions } from '../engine/ports.ts';
import type { RunStarter } from '../run/start-run.ts';
import { AutomationQueries } from '../views/automation-queries.ts';

interface Parts {
  readonly definitions: Definitions;
  readonly sql: SqlExecutor;
  readonly starter: RunStarter;
}

const payload = z.object({ automation_id: z.int(), scheduled_at: z.iso.datetime() });

/** A moment that was missed by more is only made up for where the schedule wants that. */
const toleranceMs = 5 * 60 * 1000;

/**
 * A moment of a schedule has come: its run is started, which happens once for the moment whatever dies in between, and
 * the append that fires the timer sets it to the next moment from now on. Moments in between are never made up for.
 */
export const fireSchedule =
  ({ definitions, sql, starter }: Parts): TimerHandler =>
  async (timer, { metadata, store }): Promise<AppendRequest | undefined> => {
    const { automation_id: id, scheduled_at: scheduledAt } = payload.parse(timer.payload);
    const row = await new AutomationQueries(sql).find(id);
    if (!row?.isEnabled || row.isDeleted) return undefined;
    const definition = await definitions.load(id, row.definitionVersion);
    const trigger = definition?.trigger.definition;
    if (!definition || trigger?.type !== 'schedule') return undefined;
    const now = await store.now();
    const lateMs = now.getTime() - Date.parse(scheduledAt);
    const event = { scheduled_at: scheduledAt, late_ms: Math.max(0, lateMs) };
    const isWanted = lateMs <= toleranceMs || trigger.misfire === 'once';
    if (isWanted && definition.trigger.matches(event, now.toISOString()))
      await starter.start({
        automationId: id,
        trigger: { type: 'schedule', eventId: `schedule:${scheduledAt}`, payload: event },
        chainDepth: 0,
        // A moment is a trace of its own; the timer is the same at all of them.
        correlationId: `${timer.id}:${scheduledAt}`,
      });
    const from = new Date(Math.max(now.getTime(), Date.parse(scheduledAt)));
    const next = scheduleTimer(id, { trigger, timezone: definition.timezone }, from);
    if (!next) return undefined;
    return {
      streamId: automationStream(id),
      category: automationCategory,
      accountId: row.accountId,
      events: [],
      expectedVersion: 'any',
      metadata,
      timers: [next],
    };
  };
