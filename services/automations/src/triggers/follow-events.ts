import { findLead, type ServiceName, subjectOf } from '@parley/contracts';
import type { RecordedEvent, SqlExecutor } from '@parley/event-store';
import { type BusClient, ServiceUnavailable } from '@parley/message-bus';
import { defineReactor, type EventSource, type Reactor } from '@parley/processing';
import type { Definitions } from '../engine/ports.ts';
import type { RunStarter } from '../run/start-run.ts';
import { AutomationQueries, type AutomationRow } from '../views/automation-queries.ts';
import { chainDepthAfter } from './chain.ts';
import { type EventTrigger, eventTriggers, type Party } from './event-triggers.ts';

export interface FollowedEvents {
  readonly bus: BusClient;
  readonly definitions: Definitions;
  readonly eventsOf: (service: ServiceName) => EventSource;
  readonly sql: SqlExecutor;
  readonly starter: RunStarter;
}

/** One reactor per service: an event starts a run of each automation that listens to it, once, however often it is told. */
export const followEvents = (parts: FollowedEvents): readonly Reactor[] =>
  [...new Set(eventTriggers.map(({ service }) => service))].map((service) => {
    const triggers = new Map(
      eventTriggers
        .filter((trigger) => trigger.service === service)
        .map((trigger) => [trigger.eventType, trigger]),
    );
    return defineReactor({
      name: `triggers-of-${service}`,
      source: parts.eventsOf(service),
      handles: [...triggers.keys()],
      async react(event) {
        const trigger = triggers.get(event.type);
        if (trigger) await startRuns(trigger, event, parts);
        return undefined;
      },
    });
  });

async function startRuns(trigger: EventTrigger, event: RecordedEvent, parts: FollowedEvents): Promise<void> {
  const { accountId, data, recordedAt } = event;
  if (accountId === null) return;
  const listening = await new AutomationQueries(parts.sql).listening(accountId, trigger.trigger);
  // What happened before an automation was turned on is not its business, however late it is heard of.
  const concerned = listening.filter(({ enabledAt }) => enabledAt !== null && enabledAt <= recordedAt);
  if (concerned.length === 0) return;
  const payload = await trigger.payload(event, (ids) => findParty(parts.bus, accountId, event, ids));
  await Promise.all(concerned.map(start));

  async function start({ id, definitionVersion }: AutomationRow): Promise<void> {
    const definition = await parts.definitions.load(id, definitionVersion);
    if (!definition || !trigger.concerns(definition.trigger.definition, data)) return;
    if (!definition.trigger.matches(payload, recordedAt)) return;
    await parts.starter.start({
      automationId: id,
      trigger: { type: trigger.trigger, eventId: event.eventId, payload },
      chainDepth: chainDepthAfter(event.metadata.actor),
      correlationId: event.metadata.correlationId,
    });
  }
}

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
  if (reply.kind === 'rejected')
    throw new ServiceUnavailable(`A lead was not found: ${reply.rejection.code}`);
  return findLead.output.parse(JSON.parse(reply.body)) as Party;
}
