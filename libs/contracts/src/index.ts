import { events } from './history/all-events.ts';
import { createMessageUpcast } from './history/upcasting.ts';
import type { OperationDefinition } from './operation.ts';
import * as accountOperations from './operations/accounts.ts';
import * as assistantOperations from './operations/assistants.ts';
import * as automationRunOperations from './operations/automation-runs.ts';
import * as automationOperations from './operations/automations.ts';
import * as callPermissionOperations from './operations/call-permissions.ts';
import * as callOperations from './operations/calls.ts';
import * as campaignOperations from './operations/campaigns.ts';
import * as chatAppMessageOperations from './operations/chatapp-messages.ts';
import * as chatAppSenderOperations from './operations/chatapp-senders.ts';
import * as connectionOperations from './operations/connections.ts';
import * as conversationOperations from './operations/conversations.ts';
import * as historyOperations from './operations/history.ts';
import * as knowledgebaseOperations from './operations/knowledgebases.ts';
import * as leadImportOperations from './operations/lead-imports.ts';
import * as leadOperations from './operations/leads.ts';
import * as organiserOperations from './operations/organisers.ts';
import * as paymentMethodOperations from './operations/payment-methods.ts';
import * as phoneNumberOperations from './operations/phone-numbers.ts';
import * as sipTrunkOperations from './operations/sip-trunks.ts';
import * as webhookOperations from './operations/webhooks.ts';

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
export * from './events/accounts.ts';
export * from './events/assistants.ts';
export * from './events/automation-runs.ts';
export * from './events/automations.ts';
export * from './events/call-permissions.ts';
export * from './events/calls.ts';
export * from './events/campaigns.ts';
export * from './events/chatapp-senders.ts';
export * from './events/connections.ts';
export * from './events/conversations.ts';
export * from './events/knowledgebases.ts';
export * from './events/lead-imports.ts';
export * from './events/leads.ts';
export * from './events/messages.ts';
export * from './events/organisers.ts';
export * from './events/phone-numbers.ts';
export * from './events/recipients.ts';
export * from './events/sip-trunks.ts';
export * from './events/sms.ts';
export * from './events/webhooks.ts';
export * from './history/all-events.ts';
export * from './history/chain-header.ts';
export * from './history/event.ts';
export * from './history/explained-event.ts';
export { actorForms, isActor, isEventName, isStreamName } from './history/history-filters.ts';
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
export * from './operations/accounts.ts';
export * from './operations/assistants.ts';
export * from './operations/automation-runs.ts';
export * from './operations/automations.ts';
export * from './operations/call-permissions.ts';
export * from './operations/calls.ts';
export * from './operations/campaigns.ts';
export * from './operations/chatapp-messages.ts';
export * from './operations/chatapp-senders.ts';
export * from './operations/connections.ts';
export * from './operations/conversations.ts';
export * from './operations/history.ts';
export * from './operations/knowledgebases.ts';
export * from './operations/lead-imports.ts';
export * from './operations/leads.ts';
export * from './operations/organisers.ts';
export * from './operations/payment-methods.ts';
export * from './operations/phone-numbers.ts';
export * from './operations/sip-trunks.ts';
export * from './operations/webhooks.ts';
export * from './operator/clock.ts';
export * from './operator/dead-letters.ts';
export * from './operator/erasures.ts';
export * from './operator/imports.ts';
export { type OperatorMessage, operatorSubject } from './operator/operator-message.ts';
export * from './operator/ownership.ts';
export * from './operator/projections.ts';
export * from './operator/publishing.ts';
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

/** Every HTTP operation; the gateway's routes, the OpenAPI document, the test matrices and fuzzers derive from it. */
export const operations: readonly OperationDefinition[] = [
  ...Object.values(accountOperations),
  ...Object.values(automationOperations),
  ...Object.values(automationRunOperations),
  ...Object.values(connectionOperations),
  ...Object.values(organiserOperations),
  ...Object.values(chatAppSenderOperations),
  ...Object.values(campaignOperations),
  ...Object.values(callPermissionOperations),
  ...Object.values(leadOperations),
  ...Object.values(leadImportOperations),
  ...Object.values(assistantOperations),
  ...Object.values(historyOperations),
  ...Object.values(knowledgebaseOperations),
  ...Object.values(webhookOperations),
  ...Object.values(sipTrunkOperations),
  ...Object.values(callOperations),
  ...Object.values(chatAppMessageOperations),
  ...Object.values(conversationOperations),
  ...Object.values(phoneNumberOperations),
  ...Object.values(paymentMethodOperations),
];

/** For whoever receives events over the bus. */
export const upcastMessage = createMessageUpcast(events);
