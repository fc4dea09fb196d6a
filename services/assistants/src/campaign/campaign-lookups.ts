import { checkTemplate, type createCampaign, type OperationInput } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { type BusClient, type MessageContext, ServiceUnavailable } from '@parley/message-bus';
import { lookUp, onBehalfOf } from '@parley/service-kit';
import type { z } from 'zod';
import { assistant, assistantStream, living } from '../assistant/assistant.ts';
import type { CampaignSettings } from './campaign.ts';

/** What a campaign needs to know of the assistant that makes its calls. */
interface FoundAssistant {
  readonly type: string;
  readonly timezone: string;
}

/** What messaging says of a campaign's sender and template. */
export type TemplateFinding = 'ok' | 'sender_not_found' | 'template_not_found' | 'template_not_approved';

/** What a campaign refers to, in its account. */
export interface CampaignReferences {
  /** Undefined when the campaign names none, or one that does not exist, is deleted, or is another account's. */
  readonly assistant: FoundAssistant | undefined;
  /** Always `ok` for channels without a template. */
  readonly template: TemplateFinding;
}

/** Looks up what a campaign refers to. */
export interface CampaignLookups {
  /**
   * A template that the campaign has `before` is `ok`. Rejects with `ServiceUnavailable` when messaging must be asked and
   * does not answer.
   */
  find(
    wanted: Referring,
    message: MessageContext,
    before?: Pick<CampaignSettings, 'sender_id' | 'template_id'>,
  ): Promise<CampaignReferences>;
}

type Referring = Pick<
  OperationInput<typeof createCampaign>,
  'channel' | 'assistant_id' | 'sender_id' | 'template_id'
>;

export const createCampaignLookups = (aggregates: Aggregates, bus: BusClient): CampaignLookups => ({
  async find({ channel, assistant_id, sender_id, template_id }, message, before) {
    const isCall = channel === 'call' && assistant_id != null;
    const isKnown = before?.sender_id === sender_id && before?.template_id === template_id;
    const isMessage = channel === 'chatapp' && sender_id != null && template_id != null && !isKnown;
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
 * Asks messaging, which knows senders and templates: no campaign gets a template without its word, also while it is down.
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
