import { setImmediate } from 'node:timers/promises';
import { findLead, type ServiceName, subjectOf } from '@parley/contracts';
import type { EventStore, RecordedEvent, SqlExecutor } from '@parley/event-store';
import { type BusClient, isMomentary, ServiceUnavailable } from '@parley/message-bus';
import { byAccount, defineReactor, type EventSource, ownLog, type Reactor } from '@parley/processing';
import { isStandIn } from '@parley/service-kit';
import type { Definitions } from '../engine/ports.ts';
import type { RunStarter } from '../run/advance/start-run.ts';
import { AutomationQueries, type AutomationRow } from '../views/automation-queries.ts';
import { type EventTrigger, eventTriggers, type Party } from './event-triggers.ts';
import { createFailedRuns } from './failed-run.ts';
import { type Listened, listenedEvents } from './listened-events.ts';
import { createVersionsInForce } from './versions-in-force.ts';

export interface FollowedEvents {
  readonly bus: BusClient;
  readonly definitions: Definitions;
  readonly eventsOf: (service: ServiceName) => EventSource;
  readonly sql: SqlExecutor;
  readonly starter: Pick<RunStarter, 'start'>;
  readonly store: EventStore;
}

/** Rest between two pages of a log: reading a page costs both services more than an event in it. */
const restMs = 20;
/** How many runs one event starts at a time. */
const maxStarts = 10;
/**
 * For how long the listeners that were found for a page are used: a page may take hours, and automations change
 * meanwhile.
 */
const knownMs = 1_000;
/** Where more accounts listen, the events of all accounts are read. */
const maxAccounts = 200;

/**
 * One reactor for each service with trigger events, this one included. An event starts one run of each automation that
 * listens to it, however often the event is told.
 */
export const followEvents = (parts: FollowedEvents): readonly Reactor[] => {
  const queries = new AutomationQueries(parts.sql);
  const versionInForce = createVersionsInForce(queries);
  const findFailedRun = createFailedRuns({ ...parts, queries });
  return [...new Set(eventTriggers.map(({ service }) => service))].map((service) =>
    followService(service, queries, { ...parts, findFailedRun, versionInForce }),
  );
};

interface Parts extends FollowedEvents {
  readonly findFailedRun: ReturnType<typeof createFailedRuns>;
  readonly versionInForce: ReturnType<typeof createVersionsInForce>;
}

function followService(service: ServiceName, queries: AutomationQueries, parts: Parts): Reactor {
  const triggers = new Map(
    eventTriggers
      .filter((trigger) => trigger.service === service)
      .map((trigger) => [trigger.eventType, trigger]),
  );
  /**
   * Listening automations by event id, for the present page. One that is turned on later is not missing: the events of
   * the page happened before.
   */
  let listeningTo: ReadonlyMap<string, readonly AutomationRow[]> = new Map();
  let askedAt = 0;
  async function listeners({ accountId, type, eventId }: RecordedEvent): Promise<readonly AutomationRow[]> {
    const trigger = triggers.get(type)?.trigger;
    if (accountId === null || trigger === undefined) return [];
    const known = performance.now() - askedAt < knownMs ? listeningTo.get(eventId) : undefined;
    return known ?? queries.listening(accountId, trigger);
  }
  async function findListened(): Promise<Listened> {
    const kinds = [...triggers.values()].map(({ trigger }) => trigger);
    const listened = await queries.listenedTo(kinds, maxAccounts + 1);
    const accountIds = new Set([...listened.values()].flat());
    return {
      types: new Set([...triggers].flatMap(([type, { trigger }]) => (listened.has(trigger) ? [type] : []))),
      accountIds: accountIds.size <= maxAccounts ? accountIds : undefined,
    };
  }
  return defineReactor({
    name: `triggers-of-${service}`,
    source: listenedEvents(
      service === 'automations' ? ownLog(parts.store) : parts.eventsOf(service),
      findListened,
    ),
    handles: [...triggers.keys()],
    restMs,
    laneOf: byAccount,
    async prepare(events) {
      askedAt = performance.now();
      listeningTo = new Map(
        await Promise.all(events.map(async (event) => [event.eventId, await listeners(event)] as const)),
      );
    },
    async react(event) {
      const trigger = triggers.get(event.type);
      if (trigger) await startRuns(trigger, event, await listeners(event), parts);
      return undefined;
    },
  });
}

async function startRuns(
  trigger: EventTrigger,
  event: RecordedEvent,
  listening: readonly AutomationRow[],
  parts: Parts,
): Promise<void> {
  const { accountId, data, recordedAt } = event;
  // What happened before an automation was turned on starts no run of it, however late the event arrives.
  const concerned = listening.filter(({ enabledAt }) => enabledAt !== null && enabledAt <= recordedAt);
  if (accountId === null || concerned.length === 0) return;
  const told = await trigger.payload(event, {
    findParty: (ids) => findParty(parts.bus, accountId, event, ids),
    findFailedRun: () => parts.findFailedRun(event),
  });
  // The person was erased while the event waited: no run is begun about them.
  if (!told || isStandIn(String(told.customer_phone))) return;
  const payload = told;
  const isOfInterest = trigger.concerns(data, payload);
  const chainDepth = trigger.chainDepth(event, payload);
  // An account may have any number of listening automations: others get their turn after each, and runs start a few at
  // a time, so that few copies of the event are in memory.
  const heard: AutomationRow[] = [];
  for (const [index, automation] of concerned.entries()) {
    if (index > 0) await setImmediate();
    if (await hears(automation)) heard.push(automation);
    if (heard.length >= maxStarts) await Promise.all(heard.splice(0).map(start));
  }
  await Promise.all(heard.map(start));

  /** Whether the automation listens to the event now, and also did when the event happened. */
  async function hears(automation: AutomationRow): Promise<boolean> {
    const { id, definitionVersion } = automation;
    if (!(await hearsBy(id, definitionVersion))) return false;
    const then = await parts.versionInForce(automation, recordedAt);
    return then === definitionVersion || (then !== undefined && hearsBy(id, then));
  }

  async function hearsBy(id: number, version: number): Promise<boolean> {
    const definition = await parts.definitions.load(id, version);
    if (!definition || !isOfInterest(definition.trigger.definition)) return false;
    return definition.trigger.matches(payload, recordedAt);
  }

  async function start({ id, definitionVersion: version }: AutomationRow): Promise<void> {
    await parts.starter.start({
      automationId: id,
      version,
      trigger: { type: trigger.trigger, eventId: event.eventId, payload },
      chainDepth,
      correlationId: event.metadata.correlationId,
    });
  }
}

/**
 * The lead and the campaign of an event, asked of their service. Throws `ServiceUnavailable` where that is worth
 * another try.
 */
async function findParty(
  bus: BusClient,
  accountId: number,
  { metadata }: RecordedEvent,
  ids: { readonly lead_id: number | null; readonly campaign_id: number | null },
): Promise<Party> {
  if (ids.lead_id === null && ids.campaign_id === null) return { lead: null, campaign: null };
  const reply = await bus.request({
    service: findLead.service,
    subject: subjectOf(findLead),
    payload: JSON.stringify(ids),
    context: {
      accountId,
      actor: { kind: 'system', id: 'automations' },
      commandId: null,
      fingerprint: null,
      correlationId: metadata.correlationId,
      expectedVersion: null,
      baseUrl: null,
      timeoutMs: 10_000,
    },
  });
  if (reply.kind === 'ok') return findLead.output.parse(JSON.parse(reply.body)) as Party;
  const message = `A lead was not found: ${reply.rejection.code}`;
  throw isMomentary(reply.rejection) ? new ServiceUnavailable(message) : new Error(message);
}
