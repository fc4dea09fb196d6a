import { type Rejection, reject } from '@parley/contracts';
import { isPhoneNumber } from '@parley/phone-numbers';
import type { KnownSender } from '../views/sender-queries.ts';
import type { KnownTemplate } from '../views/template-queries.ts';
import type { Draft } from './draft.ts';
import { type Prices, templatePrice } from './prices.ts';
import { fillTemplate, type TemplateValues } from './template-body.ts';

export interface TemplateRequest {
  readonly accountId: number;
  /** `undefined` when it does not exist or belongs to someone else. */
  readonly sender: KnownSender | undefined;
  /** Of this very sender. */
  readonly template: KnownTemplate | undefined;
  readonly recipientPhone: string;
  readonly recipientName: string | null;
  readonly variables: TemplateValues;
}

/** The checks of a template send that come before the messaging limit and the balance, in the decided order (decisions, section 2). */
export function draftTemplate(request: TemplateRequest, prices: Prices): Draft | Rejection {
  const { accountId, sender, template, recipientPhone, recipientName, variables } = request;
  if (!sender) return reject('sender_not_found');
  if (sender.status !== 'online') return reject('sender_offline');
  if (!template) return reject('template_not_found');
  if (template.status !== 'approved')
    return reject('template_not_approved', {
      message: `The template is not approved; its status is ${template.status}.`,
    });
  if (!isPhoneNumber(recipientPhone)) return reject('invalid_phone');
  const filled = fillTemplate(template.bodyText, template.placeholders, variables);
  if ('code' in filled) return filled;
  const { name, language, format, category } = template;
  return {
    accountId,
    sender: partyOf(sender),
    contactPhone: recipientPhone,
    contactName: recipientName,
    author: 'person',
    kind: 'template',
    templateId: template.id,
    body: filled.body,
    content: { type: 'template', name, language, format, parameters: filled.parameters },
    priceMicros: templatePrice(prices, category),
    description: `Template message "${name}" to ${recipientPhone}`.slice(0, 255),
    inReplyTo: null,
  };
}

export const partyOf = (sender: KnownSender): Draft['sender'] => ({
  id: sender.id,
  ref: { phoneNumberId: sender.phoneNumberId, accountId: sender.platformAccountId },
  messagingLimit: sender.messagingLimit,
});
