import {
  asTexts,
  fillIn,
  findSentMessage,
  findSentSms,
  hasCodePoints,
  type InternalMessage,
  type OperationDefinition,
  placeCall,
  sendChatAppTemplate,
  sendSms,
} from '@parley/contracts';
import { nextClosing } from '@parley/opening-hours';
import type { CampaignSettings, Channel } from '../../campaign/campaign.ts';
import type { LiveLead, Variables } from '../../lead/lead.ts';
import { maxRequestLength, type OutreachRequest } from './request-json.ts';
import { whomToReach } from './whom-to-reach.ts';

/** How a channel reaches people: by which request to which service, and how its outcome becomes known. */
export interface Outreach {
  readonly message: InternalMessage | OperationDefinition;
  /** The service's id of the call or message, from its answer. */
  readonly referenceOf: (answer: unknown) => string;
  /** Whether the answer says what came of the attempt; otherwise an event does later. */
  readonly endsWithAnswer: boolean;
  /** Asks whether a message of unknown outcome was sent after all; null for calls: one that was placed is told of. */
  readonly findSent: typeof findSentMessage | typeof findSentSms | null;
  /** The request of an attempt. */
  readonly input: (
    lead: LiveLead,
    contactId: number | null,
    settings: CampaignSettings,
    now: Date,
  ) => OutreachRequest;
}

/** How each channel reaches out. */
export const outreachOf: Readonly<Record<Channel, Outreach>> = {
  call: {
    message: placeCall,
    referenceOf: (answer) => placeCall.output.parse(answer).reference,
    endsWithAnswer: false,
    findSent: null,
    input: (lead, contactId, settings) => ({
      ...common(lead, contactId, settings),
      assistant_id: settings.assistant_id,
    }),
  },
  chatapp: {
    message: sendChatAppTemplate,
    referenceOf: (answer) => String(sendChatAppTemplate.success.schema.parse(answer).message_id),
    endsWithAnswer: true,
    findSent: findSentMessage,
    input(lead, contactId, settings) {
      const { phoneNumber, variables } = whomToReach(lead, contactId, settings);
      const { sender_id, template_id, variable_mapping } = settings;
      const values = templateValues({ phone_number: phoneNumber, ...variables }, variable_mapping);
      return { sender_id, template_id, recipient_phone: phoneNumber, variables: values };
    },
  },
  sms: {
    message: sendSms,
    referenceOf: (answer) => sendSms.output.parse(answer).reference,
    endsWithAnswer: true,
    findSent: findSentSms,
    input(lead, contactId, settings, now) {
      const input = common(lead, contactId, settings);
      const values = { phone_number: input.phone_number, ...input.variables };
      // A text that is longer than a request can be makes the request too large, so nothing is sent.
      const body = fillIn(settings.body ?? '', values, maxRequestLength);
      return { ...input, body, not_after: nextClosing(settings, now)?.toISOString() ?? null };
    },
  },
};

function common(lead: LiveLead, contactId: number | null, settings: CampaignSettings) {
  const { phoneNumber, variables } = whomToReach(lead, contactId, settings);
  return { campaign_id: lead.campaignId, lead_id: lead.id, phone_number: phoneNumber, variables };
}

/**
 * Longest value that a template takes. Longer variables are left out, so that those which the template does not ask for
 * do not keep the message from being sent.
 */
const maxTemplateValue = 1024;

const position = /^\d+$/;

/**
 * The variables as texts for a template, whose positions come before its names (`fillTemplate`): where a campaign maps
 * by name, a lead's variables with a number as their name are left out unless they are mapped.
 */
function templateValues(
  variables: Variables,
  mapping: CampaignSettings['variable_mapping'],
): Record<string, string> {
  const isMappedByName = Object.keys(mapping).some((name) => !position.test(name));
  const isMeant = (name: string) => !isMappedByName || !position.test(name) || Object.hasOwn(mapping, name);
  return Object.fromEntries(
    Object.entries(asTexts(variables)).filter(
      ([name, text]) => isMeant(name) && hasCodePoints(text, 0, maxTemplateValue),
    ),
  );
}
