import type { CallPermissionEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { golden, recorded } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { settleAsk, startAsk } from './asking.ts';
import { explain } from './explain.ts';
import { contactWrote, recordReply, voiceCallEnded } from './happenings.ts';
import { ask, circumstances, contact, hour, iso, start, terms } from './permission.fixture.ts';

const wrote = contactWrote(contact, 'm1', iso(start - hour));
const about = circumstances(start, [wrote]);

/** By rule, the type of the event that is behind its verdict. */
function eventsBehind(
  history: readonly CallPermissionEvent[],
  others: readonly RecordedEvent[] = [],
  now = start + hour,
) {
  const stream = [...others, ...history.map((event) => recorded(event))];
  const { rules } = explain(contact, circumstances(now, history), stream);
  return Object.fromEntries(rules.map(({ rule, event }) => [rule, event?.type ?? null]));
}

describe('the report of a permission', () => {
  test('names what is allowed, and the code of each rule as an answer would have it', () => {
    const report = explain(contact, circumstances(start, [wrote], { template: null }), []);
    expect(report).toMatchObject({ can_request: false, can_call: false, at: '2026-11-21T10:00:00+00:00' });
    expect(report.rules.map(({ rule, verdict, error_code }) => [rule, verdict, error_code])).toEqual([
      ['voice_enabled', 'passed', 'VOICE_DISABLED'],
      ['region', 'passed', 'REGION_NOT_SUPPORTED'],
      ['template', 'failed', 'TEMPLATE_NOT_FOUND'],
      ['session', 'passed', 'SESSION_CLOSED'],
      ['not_granted_yet', 'passed', 'REQUEST_LIMIT'],
      ['asked_24h', 'passed', 'REQUEST_LIMIT'],
      ['weekly_cap', 'passed', 'REQUEST_LIMIT'],
      ['granted', 'failed', 'CALL_NOT_PERMITTED'],
    ]);
  });

  test('says when time alone turns a rule, and nothing where time does not', () => {
    const { rules } = explain(contact, about, []);
    const flips = Object.fromEntries(rules.map(({ rule, flips_at }) => [rule, flips_at]));
    expect(flips).toMatchObject({ session: '2026-11-22T09:00:00+00:00', region: null, granted: null });
  });

  test('has the event behind what the sender and its template are by now', () => {
    const others = golden<Parameters<typeof recorded>[0]>(
      'SenderConnected.v1',
      'TemplateAdded.v1',
      'TemplateRemoved.v1',
    ).map((event) => recorded(event));
    expect(eventsBehind([wrote], others)).toMatchObject({
      voice_enabled: 'SenderConnected',
      region: 'SenderConnected',
      template: 'TemplateAdded',
      session: 'ContactWrote',
      granted: null,
    });
    const changed = golden<Parameters<typeof recorded>[0]>(
      'SenderVoiceCallingChanged.v1',
      'TemplateStatusChanged.v1',
    ).map((event) => recorded(event));
    expect(eventsBehind([wrote], [...others, ...changed])).toMatchObject({
      voice_enabled: 'SenderVoiceCallingChanged',
      region: 'SenderConnected',
      template: 'TemplateStatusChanged',
    });
    // What it asks for is content.
    const content = golden<Parameters<typeof recorded>[0]>('TemplateContentChanged.v1').map((event) =>
      recorded(event),
    );
    expect(eventsBehind([wrote], [...others, ...changed, ...content])).toMatchObject({
      template: 'TemplateContentChanged',
    });
  });

  test('has no new wording of the template behind it that asks and wants the same', () => {
    type Told = { readonly type: string; readonly data: object };
    const known = golden<Told>('TemplateAdded.v1', 'TemplateContentChanged.v1', 'TemplateStatusChanged.v1');
    const reworded = golden<Told>('TemplateContentChanged.v1').map(({ type, data }) => ({
      type,
      data: { ...data, body_text: 'May we?' },
    }));
    const others = [...known, ...reworded].map((event) => recorded(event));
    expect(eventsBehind([wrote], others)).toMatchObject({ template: 'TemplateStatusChanged' });
  });

  test('has the ask behind its limits, by the last that is known of it, or the call that lifted them', () => {
    const begun = startAsk(about, ask('a'));
    if (!('events' in begun)) throw new Error(begun.code);
    const asked = [wrote, ...begun.events];
    const settled = (outcome: Parameters<typeof settleAsk>[3]) => [
      ...asked,
      ...settleAsk(circumstances(start, asked).state, contact, 'a', outcome),
    ];
    expect(eventsBehind(asked)).toMatchObject({ asked_24h: 'CallPermissionAskStarted' });
    const sent = settled({ kind: 'sent', messageSid: 'wamid.1' });
    expect(eventsBehind(sent)).toMatchObject({ weekly_cap: 'CallPermissionRequested' });
    expect(eventsBehind(settled({ kind: 'unknown', reason: '' }))).toMatchObject({
      asked_24h: 'CallPermissionAskUncertain',
    });
    const [ended] = golden<{ readonly data: Parameters<typeof voiceCallEnded>[1] }>('CallEnded.v1');
    if (!ended) throw new Error('There is no call.');
    const finished_at = iso(start + hour / 2);
    const called = voiceCallEnded(
      contact,
      { ...ended.data, status: 'completed', finished_at },
      new Date(start + hour),
    );
    expect(eventsBehind([...sent, called])).toMatchObject({ asked_24h: 'ContactVoiceCallEnded' });
  });

  test.each([
    ['accept', 'CallPermissionGranted'],
    ['reject', 'CallPermissionRejected'],
    ['revoke', 'CallPermissionRevoked'],
  ] as const)('has the reply behind what the customer allows: %s', (response, type) => {
    const reply = { replyId: 'r', at: iso(start), response, isPermanent: true, expiresAt: null };
    const history = [wrote, recordReply(about.state, contact, reply, terms)];
    expect(eventsBehind(history)).toMatchObject({ not_granted_yet: type, granted: type });
  });
});
