import { type Rejection, type RejectionCode, reject } from '@parley/contracts';
import type { CallPermission } from './call-permission.ts';
import { toOffsetTimeAfter } from './offset-time.ts';
import {
  type AskLimit,
  askableAt,
  countedAsks,
  grantOf,
  isGranted,
  isSessionOpen,
  limitFreesAt,
  type PermissionTerms,
  sessionEndOf,
} from './standing.ts';

/**
 * What the rules look at. `now`: by the platform clock, in milliseconds since 1970. `sender.country`: ISO 3166-1
 * alpha-2, undefined when the number does not tell.
 */
export interface Circumstances {
  readonly state: CallPermission;
  readonly sender: { readonly isCallingEnabled: boolean; readonly country: string | undefined };
  /**
   * The approved template to ask with, and the names of its placeholders that an ask cannot fill; null when there is
   * none.
   */
  readonly template: { readonly wants: readonly string[] } | null;
  readonly terms: PermissionTerms;
  readonly now: number;
}

type RequestLimitReason = AskLimit['reason'] | 'already_granted';

/** What a rule says; `appliesTo` names what it stands against when it fails. */
export interface Verdict {
  readonly rule: string;
  readonly appliesTo: readonly ('request' | 'call')[];
  readonly isPassed: boolean;
  readonly code: RejectionCode;
  readonly reason: RequestLimitReason | null;
  /**
   * What the verdict rests on, as `evidencesOf` names it: `ask:<id>`, `reply:<id>`, `sender:voice`, …; `null` for
   * nothing.
   */
  readonly evidence: string | null;
  /** When time alone turns the verdict, in milliseconds since 1970; null when it never does. */
  readonly flipsAt: number | null;
  readonly explanation: string;
}

/**
 * The verdicts of all rules, in the decided order (decisions, section 2). Checks of body, sender and phone number come
 * before them.
 */
export function judge(about: Circumstances): readonly Verdict[] {
  return [
    voiceEnabled(about),
    region(about),
    template(about),
    session(about),
    notGranted(about),
    ...about.terms.limits.map((limit) => underLimit(about, limit)),
    granted(about),
  ];
}

/** Whether no rule stands against it. */
export const isAllowed = (verdicts: readonly Verdict[], what: 'request' | 'call'): boolean =>
  verdicts.every(({ appliesTo, isPassed }) => isPassed || !appliesTo.includes(what));

/** The refusal of the first rule that fails; null when all pass. */
export function refusalOf(about: Circumstances, what: 'request' | 'call'): Rejection | null {
  const failed = judge(about).find(({ appliesTo, isPassed }) => !isPassed && appliesTo.includes(what));
  if (!failed) return null;
  const { code, explanation: message, reason } = failed;
  if (reason === null) return reject(code, { message });
  const retryAt = askableAt(about.state, about.terms, about.now);
  const isForeseeable = retryAt !== null && Number.isFinite(retryAt);
  return reject(code, {
    message,
    details: { reason, retry_at: isForeseeable ? toOffsetTimeAfter(retryAt) : null },
  });
}

const both = ['request', 'call'] as const;
const request = ['request'] as const;

const plain = { reason: null, evidence: null, flipsAt: null };

function voiceEnabled({ sender: { isCallingEnabled } }: Circumstances): Verdict {
  return {
    ...plain,
    rule: 'voice_enabled',
    appliesTo: both,
    code: 'voice_disabled',
    isPassed: isCallingEnabled,
    evidence: 'sender:voice',
    explanation: isCallingEnabled
      ? 'Calling is enabled on the sender.'
      : 'Calling is not enabled on the sender.',
  };
}

function region({ sender: { country }, terms }: Circumstances): Verdict {
  const isPassed = country === undefined || !terms.countriesWithoutCalls.includes(country);
  return {
    ...plain,
    rule: 'region',
    appliesTo: both,
    code: 'region_not_supported',
    isPassed,
    evidence: 'sender:connected',
    explanation: isPassed
      ? 'Business-initiated calls are allowed from the country of the sender.'
      : `Business-initiated calls are not allowed from the country of the sender (${country}).`,
  };
}

function template({ template }: Circumstances): Verdict {
  return {
    ...plain,
    rule: 'template',
    appliesTo: request,
    code: 'voice_template_not_found',
    isPassed: template?.wants.length === 0,
    evidence: 'template',
    explanation: explanationOf(template),
  };
}

function explanationOf(template: Circumstances['template']): string {
  if (!template) return 'The sender has no approved voice call request template.';
  if (template.wants.length === 0) return 'There is an approved voice call request template.';
  return `The approved voice call request template cannot be sent from here: it wants ${template.wants.join(', ')}.`;
}

function session({ state, terms, now }: Circumstances): Verdict {
  const isPassed = isSessionOpen(state, terms, now);
  return {
    ...plain,
    rule: 'session',
    appliesTo: request,
    code: 'session_closed',
    isPassed,
    evidence: state.lastMessage && `message:${state.lastMessage.id}`,
    flipsAt: isPassed ? sessionEndOf(state, terms) : null,
    explanation: `The customer has ${isPassed ? '' : 'not '}messaged in the last ${hoursOf(terms.sessionMs)}.`,
  };
}

function hoursOf(ms: number): string {
  const hours = ms / (60 * 60 * 1000);
  return hours === 1 ? 'hour' : `${hours} hours`;
}

function notGranted({ state, now }: Circumstances): Verdict {
  const isPassed = !isGranted(state, now);
  const expiresAt = grantOf(state.reply)?.expiresAt;
  return {
    rule: 'not_granted_yet',
    appliesTo: request,
    code: 'request_limit',
    isPassed,
    reason: 'already_granted',
    evidence: state.reply && `reply:${state.reply.id}`,
    flipsAt: !isPassed && expiresAt !== undefined && Number.isFinite(expiresAt) ? expiresAt : null,
    explanation: isPassed
      ? 'The customer does not allow calls yet.'
      : 'The customer has already granted permission to call.',
  };
}

function underLimit({ state, now }: Circumstances, limit: AskLimit): Verdict {
  const counted = countedAsks(state, limit, now);
  const flipsAt = limitFreesAt(state, limit, now);
  const lastAsk = counted.at(-1);
  const reset = state.connectedCall && `call:${state.connectedCall.id}`;
  return {
    rule: limit.reason === 'weekly_cap' ? 'weekly_cap' : 'asked_24h',
    appliesTo: request,
    code: 'request_limit',
    isPassed: flipsAt === null,
    reason: limit.reason,
    evidence: lastAsk ? `ask:${lastAsk.id}` : reset,
    flipsAt,
    explanation: `The customer was asked ${counted.length} of at most ${limit.max} times within ${limit.window}, or since the last connected call.`,
  };
}

function granted({ state, now }: Circumstances): Verdict {
  const isPassed = isGranted(state, now);
  const expiresAt = grantOf(state.reply)?.expiresAt;
  return {
    ...plain,
    rule: 'granted',
    appliesTo: ['call'],
    code: 'call_not_permitted',
    isPassed,
    evidence: state.reply && `reply:${state.reply.id}`,
    flipsAt: isPassed && expiresAt !== undefined && Number.isFinite(expiresAt) ? expiresAt : null,
    explanation: isPassed ? 'The customer allows calls.' : 'The customer does not allow calls.',
  };
}
