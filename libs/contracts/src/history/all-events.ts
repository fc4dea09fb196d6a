import * as accountEvents from '../events/accounts.ts';
import * as assistantEvents from '../events/assistants.ts';
import * as automationRunEvents from '../events/automation-runs.ts';
import * as automationEvents from '../events/automations.ts';
import * as callPermissionEvents from '../events/call-permissions.ts';
import * as callEvents from '../events/calls.ts';
import * as campaignEvents from '../events/campaigns.ts';
import * as chatAppSenderEvents from '../events/chatapp-senders.ts';
import * as connectionEvents from '../events/connections.ts';
import * as conversationEvents from '../events/conversations.ts';
import * as knowledgebaseEvents from '../events/knowledgebases.ts';
import * as leadImportEvents from '../events/lead-imports.ts';
import * as leadEvents from '../events/leads.ts';
import * as messageEvents from '../events/messages.ts';
import * as organiserEvents from '../events/organisers.ts';
import * as phoneNumberEvents from '../events/phone-numbers.ts';
import * as recipientEvents from '../events/recipients.ts';
import * as sipTrunkEvents from '../events/sip-trunks.ts';
import * as smsEvents from '../events/sms.ts';
import * as webhookEvents from '../events/webhooks.ts';
import type { EventDefinition } from './event.ts';
import { publicEventsOf } from './public-events.ts';

/** Every event that was ever written; golden files and the AsyncAPI document derive from it. */
export const events: readonly EventDefinition[] = [
  ...Object.values(accountEvents),
  ...Object.values(automationEvents),
  ...Object.values(connectionEvents),
  ...Object.values(callEvents),
  ...Object.values(callPermissionEvents),
  ...Object.values(organiserEvents),
  ...Object.values(chatAppSenderEvents),
  ...Object.values(leadImportEvents),
  ...Object.values(leadEvents),
  ...Object.values(campaignEvents),
  ...Object.values(assistantEvents),
  ...Object.values(knowledgebaseEvents),
  ...Object.values(webhookEvents),
  ...Object.values(conversationEvents),
  ...Object.values(messageEvents),
  ...Object.values(recipientEvents),
  ...Object.values(phoneNumberEvents),
  ...Object.values(sipTrunkEvents),
  ...Object.values(smsEvents),
  ...Object.values(automationRunEvents),
];

/** What accounts and subscribers outside see of events. */
export const publicEvents = publicEventsOf(events);
