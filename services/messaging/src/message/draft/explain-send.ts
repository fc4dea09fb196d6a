import type {
  ExplainedEvent,
  explainSend,
  OperationSuccess,
  Rejection,
  RejectionCode,
} from '@parley/contracts';
import { rejections } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { isFillable } from '@parley/providers';
import { explainedEventOf } from '@parley/service-kit';
import { toOffsetTime, toOffsetTimeAfter } from '../../call-permission/offset-time.ts';
import { withChangesOf } from '../../template/content-changes.ts';
import type { TemplateContent } from '../../template/template.ts';
import { type TemplateSend, templateRules } from './template-rules.ts';

type Explanation = OperationSuccess<typeof explainSend>;
type ExplainedRule = Explanation['rules'][number];

/** The outcome of a rule that looks beyond the request itself, such as at the balance. */
export interface Finding {
  /** Null when the rule passes; `undefined` when it could not be judged. */
  readonly refusal: Rejection | null | undefined;
  /** Why it could not be judged, unless what the rule is about was not found. */
  readonly explanation?: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly event: ExplainedEvent | null;
  /** In milliseconds since 1970. */
  readonly flipsAt: number | null;
}

/**
 * A template send that is only considered: what its rules look at. `recorded` are the events of sender and template.
 */
export interface ConsideredSend extends TemplateSend {
  readonly senderId: number;
  readonly templateId: number;
  /** The moment of the verdicts on the platform clock, in milliseconds since 1970. */
  readonly now: number;
  readonly recorded: readonly RecordedEvent[];
  readonly rateLimit: Finding;
  readonly messagingLimit: Finding;
  readonly balance: Finding;
}

/** Every rule of a send with its verdict, the event behind it, and when it flips (design, history). */
export function explainTemplateSend(send: ConsideredSend): Explanation {
  const rules = [
    toRule('rate_limit', 'too_many_attempts', send.rateLimit),
    ...templateRules.map(({ rule, code, refusal }) => {
      const refused = refusal(send);
      return toRule(rule, code, {
        refusal: refused,
        details: refused?.details ?? null,
        event: eventBehind(evidence[rule], send.recorded),
        flipsAt: null,
      });
    }),
    toRule('messaging_limit', 'messaging_limit_reached', send.messagingLimit),
    toRule('balance', 'insufficient_balance', send.balance),
  ];
  return {
    success: true,
    sender_id: send.senderId,
    template_id: send.templateId,
    recipient_phone: send.recipientPhone,
    at: toOffsetTime(send.now),
    // A rule that could not be judged for want of what it is about follows a failed one.
    can_send: rules.every(({ verdict }) => verdict !== 'failed'),
    rules,
  };
}

/**
 * The event types that a rule's verdict rests on. `content`: the part of a template that the rule looks at; changes of
 * the content count only when they alter it.
 */
interface Evidence {
  readonly types: readonly string[];
  readonly content?: (content: TemplateContent) => unknown;
}

const ofTemplate = (
  content: (content: TemplateContent) => unknown,
  ...others: readonly string[]
): Evidence => ({
  types: ['TemplateAdded', 'TemplateContentChanged', ...others],
  content,
});

const evidence: Readonly<Record<(typeof templateRules)[number]['rule'], Evidence>> = {
  sender: { types: ['SenderConnected'] },
  sender_online: { types: ['SenderConnected', 'SenderStatusChanged'] },
  template: ofTemplate(({ kind }) => kind, 'TemplateRemoved'),
  template_approved: ofTemplate(
    ({ placeholders }) => placeholders.filter((placeholder) => !isFillable(placeholder)),
    'TemplateStatusChanged',
  ),
  phone: { types: [] },
  variables: ofTemplate(({ placeholders }) => placeholders),
};

/** The newest event that the rule rests on; null when there is none. */
function eventBehind(
  { types, content }: Evidence,
  recorded: readonly RecordedEvent[],
): ExplainedEvent | null {
  const events = content ? withChangesOf(content, recorded) : recorded;
  const newest = events.findLast(({ type }) => types.includes(type));
  return newest ? explainedEventOf(newest) : null;
}

const passed: Readonly<Record<string, string>> = {
  rate_limit: 'The account may send now.',
  sender: 'The sender is one of the account.',
  sender_online: 'The sender is online.',
  template: 'The template is a message of the sender.',
  template_approved: 'The template is approved.',
  phone: 'The phone number is a valid one in E.164 format.',
  variables: 'Every variable of the template has a value that can be sent.',
  messaging_limit: 'The sender has room for the recipient among its unique recipients of 24 hours.',
  balance: 'The balance covers the price.',
};

function toRule(
  rule: string,
  code: RejectionCode,
  { refusal, explanation, details, event, flipsAt }: Finding,
): ExplainedRule {
  return {
    rule,
    verdict: refusal === undefined ? 'not_judged' : refusal ? 'failed' : 'passed',
    error_code: code === 'too_many_attempts' ? null : code.toUpperCase(),
    explanation: explanation ?? explanationOf(rule, refusal),
    details: details && { ...details },
    event,
    flips_at: flipsAt === null ? null : toOffsetTimeAfter(flipsAt),
  };
}

function explanationOf(rule: string, refusal: Finding['refusal']): string {
  if (refusal === undefined) return 'What this rule is about was not found.';
  return refusal ? (refusal.message ?? rejections[refusal.code].message) : (passed[rule] ?? '');
}
