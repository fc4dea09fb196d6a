import type { RecordedEvent } from '@parley/event-store';
import { explainedEventOf } from '@parley/service-kit';
import { withChangesOf } from '../template/content-changes.ts';
import type { TemplateContent } from '../template/template.ts';
import type { Contact } from './asking.ts';
import { toOffsetTime, toOffsetTimeAfter } from './offset-time.ts';
import { type Circumstances, isAllowed, judge, type Verdict } from './rules.ts';
import { wantsBesideName } from './voice-template.ts';

/**
 * Every rule with its verdict, the event behind it, and when time alone turns it (design, history). `recorded`: the
 * events of sender, template and permission, oldest first in each.
 */
export function explain(contact: Contact, about: Circumstances, recorded: readonly RecordedEvent[]) {
  const verdicts = judge(about);
  const byEvidence = new Map(
    withChangesOf(askedAndWanted, recorded).flatMap((event) =>
      evidencesOf(event).map((key) => [key, event] as const),
    ),
  );
  const eventBehind = ({ evidence }: Verdict) => {
    const event = evidence === null ? undefined : byEvidence.get(evidence);
    return event ? explainedEventOf(event) : null;
  };
  return {
    success: true as const,
    sender_id: contact.senderId,
    customer_phone: contact.phone,
    at: toOffsetTime(about.now),
    can_request: isAllowed(verdicts, 'request'),
    can_call: isAllowed(verdicts, 'call'),
    rules: verdicts.map((verdict) => ({
      rule: verdict.rule,
      applies_to: verdict.appliesTo,
      verdict: verdict.isPassed ? ('passed' as const) : ('failed' as const),
      error_code: errorCodeOf(verdict),
      reason: verdict.reason,
      explanation: verdict.explanation,
      event: eventBehind(verdict),
      flips_at: verdict.flipsAt === null ? null : toOffsetTimeAfter(verdict.flipsAt),
    })),
  };
}

/** The parts of a template's content that the rules look at. */
const askedAndWanted = (content: TemplateContent) => [content.kind, ...wantsBesideName(content)];

/** The error code as the gateway writes it (service-api, section 7). */
const errorCodeOf = ({ code }: Verdict): string =>
  code === 'voice_template_not_found' ? 'TEMPLATE_NOT_FOUND' : code.toUpperCase();

/**
 * What an event is evidence of, in the terms of `Verdict.evidence`; of several events for one thing the last counts.
 */
function evidencesOf({ type, data }: RecordedEvent): readonly string[] {
  const { ask_id, reply_id, message_sid, call_id } = Object(data);
  switch (type) {
    case 'CallPermissionAskStarted':
    case 'CallPermissionRequested':
    case 'CallPermissionAskDelivered':
    case 'CallPermissionAskUncertain':
      return [`ask:${ask_id}`];
    case 'CallPermissionGranted':
    case 'CallPermissionRejected':
    case 'CallPermissionRevoked':
      return [`reply:${reply_id}`];
    case 'ContactWrote':
      return [`message:${message_sid}`];
    case 'ContactVoiceCallEnded':
      return [`call:${call_id}`];
    case 'SenderConnected':
      return ['sender:connected', 'sender:voice'];
    case 'SenderVoiceCallingChanged':
      return ['sender:voice'];
    case 'TemplateAdded':
    case 'TemplateContentChanged':
    case 'TemplateStatusChanged':
      return ['template'];
    default:
      return [];
  }
}
