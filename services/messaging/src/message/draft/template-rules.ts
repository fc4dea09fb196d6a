import { type Rejection, type RejectionCode, reject } from '@parley/contracts';
import { isPhoneNumber } from '@parley/phone-numbers';
import { isFillable } from '@parley/providers';
import type { KnownSender } from '../../views/sender-queries.ts';
import type { KnownTemplate } from '../../views/template-queries.ts';
import { fillTemplate, type TemplateValues } from './template-body.ts';

/**
 * What the rules of a template send look at. `sender` and `template` are as they are, or were at the moment asked
 * about.
 */
export interface TemplateSend {
  /** `undefined` when it does not exist or belongs to someone else. */
  readonly sender: KnownSender | undefined;
  /** `undefined` when this sender has no such template. */
  readonly template: KnownTemplate | undefined;
  readonly recipientPhone: string;
  readonly variables: TemplateValues;
}

interface TemplateRule {
  readonly rule: 'sender' | 'sender_online' | 'template' | 'template_approved' | 'phone' | 'variables';
  readonly code: RejectionCode;
  /** `null` when the rule passes; `undefined` when what it is about was not found, which an earlier rule reports. */
  refusal(send: TemplateSend): Rejection | null | undefined;
}

/** The rules that come before the messaging limit and the balance, in the decided order (decisions, section 2). */
export const templateRules: readonly TemplateRule[] = [
  {
    rule: 'sender',
    code: 'sender_not_found',
    refusal: ({ sender }) => (sender ? null : reject('sender_not_found')),
  },
  {
    rule: 'sender_online',
    code: 'sender_offline',
    refusal: ({ sender }) => sender && (sender.status === 'online' ? null : reject('sender_offline')),
  },
  {
    rule: 'template',
    code: 'template_not_found',
    refusal: ({ template }) => notSendable(template),
  },
  {
    rule: 'template_approved',
    code: 'template_not_approved',
    refusal: ({ template }) => template && notApproved(template),
  },
  {
    rule: 'phone',
    code: 'invalid_phone',
    refusal: ({ recipientPhone }) => (isPhoneNumber(recipientPhone) ? null : reject('invalid_phone')),
  },
  {
    rule: 'variables',
    code: 'variables_missing',
    refusal({ template, variables }) {
      const filled = template && fillTemplate(template.bodyText, template.placeholders, variables);
      return filled && ('code' in filled ? filled : null);
    },
  },
];

/**
 * Refuses an unknown template, and one that asks for call permission: those are sent only by the operation that keeps
 * to the limits of asking (service-api, section 8).
 */
export function notSendable(template: KnownTemplate | undefined): Rejection | null {
  if (!template) return reject('template_not_found');
  return template.kind === 'message'
    ? null
    : reject('template_not_found', {
        message: 'The template asks for call permission; send it with POST /api/user/chatapp/voice/request.',
      });
}

/** Refuses a template that the platform has not approved, or that has placeholders which no text can fill. */
export function notApproved({ status, placeholders }: KnownTemplate): Rejection | null {
  if (status !== 'approved')
    return reject('template_not_approved', {
      message: `The template is not approved; its status is ${status}.`,
    });
  const others = placeholders.filter((placeholder) => !isFillable(placeholder)).map(({ name }) => name);
  if (others.length === 0) return null;
  return reject('template_not_approved', {
    message: `The template's status is ${status}, but it cannot be sent from here: it wants ${others.join(', ')}.`,
    details: { wants: others },
  });
}

/** The refusal of the first rule that fails; null when all pass. */
export function templateRefusal(send: TemplateSend): Rejection | null {
  for (const { refusal } of templateRules) {
    const refused = refusal(send);
    if (refused) return refused;
  }
  return null;
}
