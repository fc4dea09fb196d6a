import { checkTemplate, type createCampaign, type OperationInput } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { type BusClient, type MessageContext, ServiceUnavailable } from '@parley/message-bus';
import { lookUp, onBehalfOf } from '@parley/service-kit';
import type { z } from 'zod';
import { assistant, assistantStream, living } from '../assistant/assistant.ts';

/** What a campaign needs to know of the assistant that makes its calls. */
export interface FoundAssistant {
  readonly type: string;
  readonly timezone: string;
}

/** What messaging says of a campaign's sender and template. */
export type TemplateFinding = 'ok' | 'sender_not_found' | 'template_not_found' | 'template_not_approved';

/** What a new campaign refers to, in the account that creates it. */
interface CampaignReferences {
  /** Undefined when the campaign names none, or one that does not exist, is deleted, or is another account's. */
  readonly assistant: FoundAssistant | undefined;
  /** Always `ok` for channels without a template. */
  readonly template: TemplateFinding;
}

/** Looks up what a new campaign refers to. */
export interface CampaignLookups {
  /** Rejects with `ServiceUnavailable` when messaging must be asked and does not answer. */
  find(input: CampaignInput, message: MessageContext): Promise<CampaignReferences>;
}

type CampaignInput = OperationInput<typeof createCampaign>;

export const createCampaignLookups = (aggregates: Aggregates, bus: BusClient): CampaignLookups => ({
  async find({ channel, assistant_id, sender_id, template_id }, message) {
    const isCall = channel === 'call' && assistant_id != null;
    const isMessage = channel === 'chatapp' && sender_id != null && template_id != null;
    return {
      assistant: isCall ? await findAssistant(aggregates, assistant_id, message) : undefined,
      template: isMessage ? await askForTemplate(bus, { sender_id, template_id }, message) : 'ok',
    };
  },
});

async function findAssistant(
  aggregates: Aggregates,
  id: number,
  { accountId }: MessageContext,
): Promise<FoundAssistant | undefined> {
  const found = await aggregates.load(assistantStream(id), assistant);
  const known = found.accountId === accountId ? living(found.state) : null;
  return known ? { type: known.type, timezone: known.timezone } : undefined;
}

/**
 * Asks messaging, which knows senders and templates: no campaign is created without its word, also while it is down.
 */
async function askForTemplate(
  bus: BusClient,
  ids: z.input<typeof checkTemplate.input>,
  message: MessageContext,
): Promise<TemplateFinding> {
  const answer = await lookUp(bus, checkTemplate, ids, onBehalfOf(message));
  if (!answer) throw new ServiceUnavailable('check-template: not_found');
  return answer.outcome;
}
