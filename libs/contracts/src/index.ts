import { events } from './history/all-events.ts';
import { createMessageUpcast } from './history/upcasting.ts';
import type { OperationDefinition } from './operation.ts';
import * as everyOperation from './operations/all.ts';
import { tags } from './tag.ts';

export * from './assistant/assistant-input.ts';
export * from './assistant/assistant-resource.ts';
export * from './assistant/assistant-settings.ts';
export * from './assistant/organiser-colors.ts';
export * from './automation/actions.ts';
export * from './automation/conditions.ts';
export * from './automation/connections.ts';
export * from './automation/format.ts';
export * from './automation/json-schema.ts';
export * from './automation/triggers.ts';
export * from './campaign-terms.ts';
export * from './chatapp-resources.ts';
export * from './events/all.ts';
export * from './history/all-events.ts';
export * from './history/chain-header.ts';
export * from './history/event.ts';
export * from './history/explained-event.ts';
export { actorForms, isActedBy, isActor, isEventName, isStreamName } from './history/history-filters.ts';
export * from './history/public-events.ts';
export { type RecordedEventMessage, recordedEvent } from './history/recorded-event.ts';
export * from './history/trace-tree.ts';
export * from './history/undoing.ts';
export { upcastersOf } from './history/upcasting.ts';
export * from './input/country-code.ts';
export * from './input/csv-upload.ts';
export * from './input/field-errors.ts';
export * from './input/fill-in.ts';
export * from './input/input-schema.ts';
export * from './input/text.ts';
export * from './input/time-zone.ts';
export * from './input/variables.ts';
export * from './internal/accounts.ts';
export * from './internal/assistants.ts';
export * from './internal/automation-runs.ts';
export * from './internal/automations.ts';
export * from './internal/chat-events.ts';
export * from './internal/internal-message.ts';
export * from './internal/lead-imports.ts';
export * from './internal/number-assignments.ts';
export * from './internal/outreach.ts';
export * from './internal/provider-callbacks.ts';
export * from './internal/senders.ts';
export * from './internal/telephony.ts';
export * from './internal/webhooks.ts';
export * from './message-references.ts';
export * from './money.ts';
export * from './operation.ts';
export * from './operations/all.ts';
export * from './operator/clock.ts';
export * from './operator/dead-letters.ts';
export * from './operator/erasures.ts';
export * from './operator/imports.ts';
export { type OperatorMessage, operatorSubject } from './operator/operator-message.ts';
export * from './operator/ownership.ts';
export * from './operator/person-events.ts';
export * from './operator/projections.ts';
export * from './operator/publishing.ts';
export * from './operator/reactors.ts';
export * from './operator/read-events.ts';
export * from './operator/resources.ts';
export * from './operator/reverts.ts';
export * from './operator/traces.ts';
export * from './person/person.ts';
export * from './person/personal-claims.ts';
export * from './rejection.ts';
export * from './rejection-codes.ts';
export * from './service-name.ts';
export * from './tag.ts';
export * from './unspoken.ts';
export * from './webhook/webhook-bodies.ts';
export * from './webhook/webhook-kinds.ts';

const everyTag = Object.keys(tags);

/**
 * Every HTTP operation, in the order of the tags; the gateway's routes, the OpenAPI document, the test matrices and
 * fuzzers derive from it.
 */
export const operations: readonly OperationDefinition[] = Object.values(everyOperation).sort(
  (one, other) => everyTag.indexOf(one.tag) - everyTag.indexOf(other.tag),
);

/** For whoever receives events over the bus. */
export const upcastMessage = createMessageUpcast(events);
