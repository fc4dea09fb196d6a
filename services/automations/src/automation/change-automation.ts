import { type AutomationDefinition, type AutomationEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { canonicalHash } from '../definition/prefix-hashes.ts';
import { type Automation, automation, statusOf } from './automation.ts';
import { forAssistant } from './envelope.ts';
import { scheduleTimer, scheduleTimerId } from './schedule-timer.ts';

/** What a command changes; undefined leaves it as it is. */
export interface AutomationChange {
  readonly name?: string | undefined;
  readonly isEnabled?: boolean | undefined;
  /** Replaces the present definition; already checked. */
  readonly definition?: AutomationDefinition | undefined;
  /** Restricts the present definition to this assistant's calls, where no other definition is given. */
  readonly assistantId?: number | undefined;
  /** Hash of the webhook's token; null when the definition has no webhook trigger. */
  readonly tokenHash: string | null;
  readonly now: Date;
}

/** The answer as it is stored: the webhook's address is added when it is sent, because it holds a secret. */
export interface CreatedAnswer {
  readonly automation_id: string;
  readonly status: 'enabled' | 'disabled';
  readonly message: string;
}

export interface UpdatedAnswer {
  readonly data: {
    readonly id: string;
    readonly name: string;
    readonly status: 'enabled' | 'disabled';
    readonly version: number;
  };
}

/** Creates an automation; throws when its id was used before. */
export function createAutomation(
  state: Automation,
  {
    id,
    name,
    ...change
  }: AutomationChange & {
    readonly id: number;
    readonly name: string;
    readonly definition: AutomationDefinition;
  },
): Decision<AutomationEvent, CreatedAnswer> {
  if (state) throw new Error(`automation ${id} was given out twice.`);
  const created: AutomationEvent = {
    type: 'AutomationCreated',
    data: { id, name, at: change.now.toISOString() },
  };
  const { events, after, timers, cancelTimers } = changes(automation.evolve(null, created), change);
  return {
    events: [created, ...events],
    timers,
    cancelTimers,
    reply: {
      automation_id: String(id),
      status: statusOf(after?.isEnabled ?? false),
      message: 'Automation created successfully',
    },
  };
}

/** Succeeds without an event when nothing would change; `not_found` when there is no such automation. */
export function updateAutomation(
  state: Automation,
  change: AutomationChange,
): Decision<AutomationEvent, UpdatedAnswer> | Rejection {
  if (!state) return reject('not_found');
  const { assistantId, definition } = change;
  const kept = assistantId === undefined ? undefined : forAssistant(state.definition, assistantId);
  const { events, after, timers, cancelTimers } = changes(state, {
    ...change,
    definition: definition ?? kept,
  });
  const { id, name, version, isEnabled } = after ?? state;
  return {
    events,
    timers,
    cancelTimers,
    reply: { data: { id: String(id), name, status: statusOf(isEnabled), version } },
  };
}

/** Deletes an automation; its runs are ended by a reactor (`stopRuns`). */
export function deleteAutomation(
  state: Automation,
  now: Date,
): Decision<AutomationEvent, { readonly message: string }> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [{ type: 'AutomationDeleted', data: { at: now.toISOString() } }],
    cancelTimers: [scheduleTimerId(state.id)],
    reply: { message: 'Automation deleted successfully' },
  };
}

/** The events that a change comes to, the state after them, and what becomes of the schedule's timer. */
function changes(state: Automation, { name, isEnabled, definition, tokenHash, now }: AutomationChange) {
  const events: AutomationEvent[] = [];
  const at = now.toISOString();
  if (name !== undefined && name !== state?.name)
    events.push({ type: 'AutomationRenamed', data: { name, at } });
  const version = (state?.version ?? 0) + 1;
  const hash = definition && canonicalHash(definition);
  if (definition && hash !== undefined && hash !== state?.hash)
    events.push({
      type: 'AutomationDefinitionSaved',
      // Plain JSON, which is what it was read from.
      data: { version, hash, definition: JSON.parse(JSON.stringify(definition)), at },
    });
  if (tokenHash !== null && state?.tokenHash !== tokenHash)
    events.push({ type: 'AutomationWebhookIssued', data: { token_hash: tokenHash } });
  const saved = events.reduce(automation.evolve, state);
  if (saved && isEnabled !== undefined && isEnabled !== saved.isEnabled)
    events.push(
      isEnabled
        ? { type: 'AutomationActivated', data: { version: saved.version, at } }
        : { type: 'AutomationDeactivated', data: { at } },
    );
  const after = events.reduce(automation.evolve, state);
  return { events, after, ...scheduling(state, after, now) };
}

/**
 * The schedule's timer is set anew when the automation is turned on or its definition changes, and cancelled when no
 * schedule counts any more.
 */
function scheduling(before: Automation, after: Automation, now: Date) {
  if (!after || (before?.hash === after.hash && before.isEnabled === after.isEnabled))
    return { timers: [], cancelTimers: [] };
  const timer = after.isEnabled ? scheduleTimer(after.id, after.definition, now) : undefined;
  return timer
    ? { timers: [timer], cancelTimers: [] }
    : { timers: [], cancelTimers: before ? [scheduleTimerId(after.id)] : [] };
}
