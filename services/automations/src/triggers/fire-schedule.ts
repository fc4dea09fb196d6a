import type { AutomationEvent } from '@parley/contracts';
import { type AppendRequest, Contended, type EventStore, type SqlExecutor } from '@parley/event-store';
import { fireIfDue, type TimerHandler } from '@parley/processing';
import { z } from 'zod';
import { automationCategory, automationStream } from '../automation/automation.ts';
import { nextMoment, scheduleTimer, scheduleTimerId } from '../automation/schedule-timer.ts';
import type { Definitions } from '../engine/ports.ts';
import type { RunStarter } from '../run/advance/start-run.ts';
import { runIdOf, runStream } from '../run/run.ts';
import { AutomationQueries } from '../views/automation-queries.ts';

interface Parts {
  readonly definitions: Definitions;
  readonly sql: SqlExecutor;
  readonly starter: Pick<RunStarter, 'start'>;
}

const payload = z.object({ automation_id: z.int(), scheduled_at: z.iso.datetime() });

/**
 * How late a moment may start its run, whichever were missed before it; a later one starts it only where the schedule
 * says so (`misfire: 'once'`).
 */
const toleranceMs = 5 * 60 * 1000;

/**
 * Handles the timer of a schedule: starts the run of its moment, once whatever dies in between, and sets the timer to
 * the next moment that is not too late, which may be due already. Moments in between start nothing; that they were
 * missed is recorded in the automation's stream. Rejects, to be tried again, while the view lags behind the stream, as
 * between two releases or after an import.
 */
export function fireSchedule({ definitions, sql, starter }: Parts): TimerHandler {
  const queries = new AutomationQueries(sql);
  return async (timer, { metadata, store }): Promise<AppendRequest | undefined> => {
    const { automation_id: id, scheduled_at: scheduledAt } = payload.parse(timer.payload);
    const streamId = automationStream(id);
    const row = await queries.find(id);
    const [unseen] = await store.readStream(streamId, { fromVersion: (row?.version ?? 0) + 1 });
    if (unseen) throw new Contended(`The view does not show all of ${streamId} yet.`);
    if (!row?.isEnabled || row.isDeleted) return undefined;
    const definition = await definitions.load(id, row.definitionVersion);
    const trigger = definition?.trigger.definition;
    if (!definition || trigger?.type !== 'schedule') return undefined;
    const now = await store.now();
    const lateMs = now.getTime() - Date.parse(scheduledAt);
    const event = { scheduled_at: scheduledAt, late_ms: Math.max(0, lateMs) };
    const eventId = `schedule:${scheduledAt}`;
    // Each moment is a trace of its own, though all have the same timer.
    const traceOf = (moment: string) => `${timer.id}:${moment}`;
    const isWanted = lateMs <= toleranceMs || trigger.misfire === 'once';
    if (isWanted && definition.trigger.matches(event, now.toISOString()))
      await starter.start({
        automationId: id,
        version: definition.version,
        trigger: { type: 'schedule', eventId, payload: event },
        chainDepth: 0,
        correlationId: traceOf(scheduledAt),
      });
    const schedule = { trigger, timezone: definition.timezone };
    const moment = new Date(scheduledAt);
    const tooLate = new Date(now.getTime() - toleranceMs);
    const isTakenUp = isWanted || (await hasRun(store, id, eventId));
    const missed = isTakenUp ? nextMoment(schedule, moment) : moment;
    const from = new Date(Math.max(tooLate.getTime(), moment.getTime()));
    const next = scheduleTimer(id, schedule, from);
    return {
      streamId,
      category: automationCategory,
      accountId: row.accountId,
      events: missed && missed <= tooLate ? [momentsMissed(missed, nextMoment(schedule, from), now)] : [],
      expectedVersion: row.version,
      metadata: missed ? { ...metadata, correlationId: traceOf(missed.toISOString()) } : metadata,
      timers: next ? [next] : [],
    };
  };
}

/**
 * For a definition that is about to be replaced, and its timer with it: fires the moments that had come by `now` but
 * that no timer has fired yet.
 */
export function fireMomentsOf({ store, ...parts }: Parts & { readonly store: EventStore }) {
  const fire = fireSchedule(parts);
  return (automationId: number, now: Date): Promise<void> =>
    fireIfDue({ id: scheduleTimerId(automationId), by: now }, fire, { store, sql: parts.sql });
}

/** Whether the moment's run was started: who did may have died before the timer was set to the next moment. */
async function hasRun(store: EventStore, automationId: number, eventId: string): Promise<boolean> {
  const stream = runStream(runIdOf(automationId, eventId));
  return (await store.readStream(stream, { toVersion: 1 })).length > 0;
}

const momentsMissed = (first: Date, next: Date | undefined, now: Date): AutomationEvent => ({
  type: 'AutomationMomentsMissed',
  data: { first_at: first.toISOString(), next_at: next?.toISOString() ?? null, at: now.toISOString() },
});
