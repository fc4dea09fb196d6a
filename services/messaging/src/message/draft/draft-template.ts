import type { Rejection } from '@parley/contracts';
import type { KnownSender } from '../../views/sender-queries.ts';
import type { Draft } from './draft.ts';
import { type Prices, templatePrice } from './prices.ts';
import { fillTemplate } from './template-body.ts';
import { type TemplateSend, templateRefusal } from './template-rules.ts';

export interface TemplateRequest extends TemplateSend {
  readonly accountId: number;
  readonly recipientName: string | null;
}

/** A description on the ledger holds 255 characters, of which the id of a customer without a number may take 128. */
const maxNameInDescription = 100;

/**
 * Runs the checks of a template send that come before the messaging limit and the balance, in the decided order
 * (decisions, section 2).
 */
export function draftTemplate(request: TemplateRequest, prices: Prices): Draft | Rejection {
  const { accountId, sender, template, recipientPhone, recipientName, variables } = request;
  const refusal = templateRefusal(request);
  if (refusal) return refusal;
  const filled = template && fillTemplate(template.bodyText, template.placeholders, variables);
  if (!sender || !filled || 'code' in filled) throw new Error('A rule let an incomplete send pass.');
  const { name, language, format, category } = template;
  return {
    accountId,
    sender: partyOf(sender),
    contactPhone: recipientPhone,
    contactName: recipientName || null,
    author: 'person',
    kind: 'template',
    templateId: template.id,
    body: filled.body,
    content: { type: 'template', name, language, category, format, parameters: filled.parameters },
    priceMicros: templatePrice(prices, category),
    // The name is cut, not the number: part of a number would belong to nobody, and stay when its person is erased.
    description: `Template message "${name.slice(0, maxNameInDescription)}" to ${recipientPhone}`,
    inReplyTo: null,
  };
}

/** The part of a sender that a draft needs. */
export const partyOf = (sender: KnownSender): Draft['sender'] => ({
  id: sender.id,
  ref: { phoneNumberId: sender.phoneNumberId, accountId: sender.platformAccountId },
  messagingLimit: sender.messagingLimit,
});
