import { type InternalMessage, placeCall, sendSms, sendTemplate } from '@parley/contracts';
import type { z } from 'zod';
import type { CampaignSettings, Channel } from '../campaign/campaign.ts';
import type { Lead } from '../lead/lead.ts';
import { fillIn, whomToReach } from './whom-to-reach.ts';

type Asked = InternalMessage<z.ZodType, typeof placeCall.output>;

/** How a channel reaches people. */
export interface Outreach {
  readonly message: Asked;
  /** Whether the answer says what came of it; else an event does later. */
  readonly endsWithAnswer: boolean;
  readonly input: (lead: NonNullable<Lead>, contactId: number | null, settings: CampaignSettings) => object;
}

export const outreachOf: Readonly<Record<Channel, Outreach>> = {
  call: {
    message: placeCall,
    endsWithAnswer: false,
    input: (lead, contactId, settings) => ({
      ...common(lead, contactId, settings),
      assistant_id: settings.assistant_id,
    }),
  },
  chatapp: {
    message: sendTemplate,
    endsWithAnswer: true,
    input: (lead, contactId, settings) => ({
      ...common(lead, contactId, settings),
      sender_id: settings.sender_id,
      template_id: settings.template_id,
    }),
  },
  sms: {
    message: sendSms,
    endsWithAnswer: true,
    input(lead, contactId, settings) {
      const input = common(lead, contactId, settings);
      return { ...input, body: fillIn(settings.body ?? '', input.variables) };
    },
  },
};

function common(lead: NonNullable<Lead>, contactId: number | null, settings: CampaignSettings) {
  const { phoneNumber, variables } = whomToReach(lead, contactId, settings);
  return { campaign_id: lead.campaignId, lead_id: lead.id, phone_number: phoneNumber, variables };
}
