import type { CallPermissionEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { type AskOutcome, renewAsk, settleAsk, startAsk } from './asking.ts';
import { callPermission, permissionStreamOf } from './call-permission.ts';
import { contactWrote, recordReply } from './happenings.ts';
import { ask, circumstances, contact, day, hour, iso, start, terms } from './permission.fixture.ts';
import { renderLimits, renderPermission } from './render.ts';

const wrote = contactWrote(contact, 'm1', iso(start - hour));
const sent = { kind: 'sent', messageSid: 'wamid.1' } as const;

/** A history after `wrote`, told what came of an ask made at `start`. */
const asked = (...outcomes: readonly AskOutcome[]) => askedAt(start, ...outcomes);

function askedAt(at: number, ...outcomes: readonly AskOutcome[]): CallPermissionEvent[] {
  const decision = startAsk(circumstances(at, [wrote]), ask('a'));
  if (!('events' in decision)) throw new Error(decision.code);
  const history = [wrote, ...decision.events];
  for (const outcome of outcomes)
    history.push(...settleAsk(given(callPermission, ...history), contact, 'a', outcome));
  return history;
}

describe('an ask', () => {
  test('is on record with its command claimed and a timer that waits for its outcome', () => {
    expect(startAsk(circumstances(start, [wrote]), ask('a'))).toMatchObject({
      events: [{ type: 'CallPermissionAskStarted', data: { ask_id: 'a', template_id: 5, at: iso(start) } }],
      claims: [{ op: 'take', key: 'a', owner: 'permission-7:+491701234567' }],
      timers: [{ id: 'call-permission-ask:a', due: { afterMs: 3_000 } }],
      reply: { ask: 'begun' },
    });
  });

  test('is of one customer: its command cannot ask another one', () => {
    const begun = startAsk(circumstances(start, [wrote]), ask('a'));
    const ofAnother = {
      kind: 'claim-taken',
      scope: '',
      key: 'a',
      owner: 'permission-7:+4930901820',
    } as const;
    const taken = 'onClaimTaken' in begun && begun.onClaimTaken?.(ofAnother);
    expect(taken).toMatchObject({ code: 'idempotency_key_reuse' });
  });

  test('is forgotten once no limit looks back as far, and another one is made', () => {
    const asks = (after: number, outcome: AskOutcome = sent) => {
      const history = asked(outcome);
      const again = startAsk(
        circumstances(start + after, [...history, contactWrote(contact, 'm2', iso(start + after))]),
        ask('b'),
      );
      if (!('events' in again)) throw new Error(again.code);
      const { asks, failedAsks } = given(callPermission, ...history, ...again.events);
      return [...asks, ...failedAsks].map(({ id }) => id);
    };
    for (const outcome of [sent, { kind: 'failed', code: null, reason: '' } as const])
      expect([asks(90 * day - 1, outcome), asks(90 * day, outcome)].map((ids) => ids.sort())).toEqual([
        ['a', 'b'],
        ['b'],
      ]);
  });

  test('is not looked after while somebody is at it, up to its outcome', () => {
    const renewed = (...outcomes: readonly AskOutcome[]) =>
      renewAsk(given(callPermission, ...asked(...outcomes)), contact, 'a');
    expect(renewed()).toMatchObject({
      events: [],
      timers: [{ id: 'call-permission-ask:a', due: { afterMs: 3_000 } }],
    });
    const failed = { kind: 'failed', code: null, reason: '' } as const;
    for (const outcome of [sent, failed, { kind: 'unknown', reason: '' } as const])
      expect(renewed(outcome)).toMatchObject({ events: [], timers: [] });
  });

  test('is refused by the first rule that stands against it, in the decided order', () => {
    const worst = {
      sender: { isCallingEnabled: false, country: 'US' },
      template: null,
    };
    const codes = [
      {},
      { sender: { isCallingEnabled: true, country: 'US' } },
      { sender: { isCallingEnabled: true, country: 'DE' } },
      { sender: { isCallingEnabled: true, country: 'DE' }, template: { wants: [] } },
    ].map((better) => startAsk(circumstances(start, [], { ...worst, ...better }), ask('a')));
    expect(codes).toMatchObject([
      { code: 'voice_disabled' },
      { code: 'region_not_supported' },
      { code: 'voice_template_not_found' },
      { code: 'session_closed' },
    ]);
  });

  test('of a repeated command is the one there is', () => {
    const again = (history: readonly CallPermissionEvent[], fingerprint: string | null = null) =>
      startAsk(circumstances(start + 1, history), { ...ask('a'), fingerprint });
    expect(again(asked())).toMatchObject({ code: 'idempotency_in_progress' });
    expect(again(asked(sent))).toEqual({ events: [], reply: { ask: 'sent' } });
    expect(again(asked(sent), 'another body')).toMatchObject({ code: 'idempotency_key_reuse' });
    expect(again(asked({ kind: 'unknown', reason: '' }))).toMatchObject({
      code: 'send_failed',
      details: { outcome: 'unknown' },
    });
  });

  test('that certainly failed counts against nothing; one that may have gone out does', () => {
    const failed = asked({ kind: 'failed', code: '1', reason: 'no' });
    const unknown = asked({ kind: 'unknown', reason: 'no answer' });
    const show = (history: readonly CallPermissionEvent[]) => circumstances(start + hour, history);
    expect(renderPermission(contact, null, show(failed))).toMatchObject({ status: null, can_request: true });
    expect(renderPermission(contact, null, show(unknown))).toMatchObject({
      status: 'pending',
      can_request: false,
    });
    expect(renderLimits(show(unknown)).can_request_at).toBe('2026-11-22T10:00:00+00:00');
  });

  test('has one outcome: what is told after a certain one changes nothing', () => {
    for (const late of [
      sent,
      { kind: 'failed', code: null, reason: '' },
      { kind: 'unknown', reason: '' },
    ] as const)
      expect(settleAsk(given(callPermission, ...asked(sent)), contact, 'a', late)).toEqual([]);
    expect(asked({ kind: 'unknown', reason: '' }, sent).at(-1)).toMatchObject({
      type: 'CallPermissionRequested',
    });
  });
});

const undeliverable = {
  kind: 'undeliverable',
  messageSid: 'wamid.1',
  code: '131026',
  reason: 'Message undeliverable',
} as const;

describe('an ask that could not be delivered', () => {
  test.each<[string, readonly AskOutcome[]]>([
    ['is under way', []],
    ['was sent', [sent]],
    ['has no answer', [{ kind: 'unknown', reason: '' }]],
  ])('counts against nothing when it %s', (_, told) => {
    const history = asked(...told, undeliverable);
    expect(history.at(-1)).toMatchObject({ type: 'CallPermissionAskFailed', data: { code: '131026' } });
    const shown = circumstances(start + hour, history);
    expect(renderPermission(contact, null, shown)).toMatchObject({ status: null, can_request: true });
    expect(renderLimits(shown)).toMatchObject({ limits: [{ used: 0 }, { used: 0 }] });
  });

  test('stays so, whatever the platform answers or tells later', () => {
    const failed = asked(undeliverable);
    for (const late of [sent, undeliverable, { kind: 'unknown', reason: '' } as const])
      expect(asked(undeliverable, late)).toEqual(failed);
    expect(startAsk(circumstances(start + 1, failed), ask('a'))).toMatchObject({ reply: { ask: 'begun' } });
  });
});

describe('an ask that reached the customer', () => {
  const delivered = { kind: 'delivered', messageSid: 'wamid.1', at: iso(start + 1_000) } as const;

  test.each<[string, readonly AskOutcome[]]>([
    ['before', [sent, delivered, undeliverable]],
    ['after', [sent, undeliverable, delivered]],
    ['before it is known to be sent', [undeliverable, delivered, sent]],
    ['and nobody knew whether it was sent', [{ kind: 'unknown', reason: '' }, undeliverable, delivered]],
  ])('counts, though another device did not get it: told %s', (_, told) => {
    const history = asked(...told);
    const shown = circumstances(start + hour, history);
    expect(shown.state).toMatchObject({
      asks: [{ id: 'a', status: 'sent', messageSid: 'wamid.1', isDelivered: true }],
      failedAsks: [],
    });
    expect(renderPermission(contact, null, shown)).toMatchObject({ status: 'pending', can_request: false });
    expect(startAsk(shown, ask('a'))).toMatchObject({ events: [], reply: { ask: 'sent' } });
  });

  test('is on record as such once', () => {
    const history = asked(sent, delivered, { ...delivered, at: iso(start + 2_000) }, sent);
    expect(history.map(({ type }) => type).slice(2)).toEqual([
      'CallPermissionRequested',
      'CallPermissionAskDelivered',
    ]);
  });

  test('keeps its place among the asks', () => {
    const history = asked(sent, undeliverable);
    const second = startAsk(circumstances(start + hour, history), ask('b'));
    if (!('events' in second)) throw new Error(second.code);
    history.push(...second.events);
    history.push(...settleAsk(given(callPermission, ...history), contact, 'a', delivered));
    expect(given(callPermission, ...history).asks.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('is another one once its command asked again', () => {
    const history = asked(undeliverable);
    const again = startAsk(circumstances(start + hour, history), ask('a'));
    if (!('events' in again)) throw new Error(again.code);
    const { asks, failedAsks } = given(callPermission, ...history, ...again.events);
    expect([asks, failedAsks]).toMatchObject([[{ id: 'a', at: iso(start + hour) }], []]);
  });

  test('that its command made before is another message: what is told of it late changes nothing', () => {
    const history = asked(undeliverable);
    const again = startAsk(circumstances(start + hour, history), ask('a'));
    if (!('events' in again)) throw new Error(again.code);
    history.push(...again.events);
    const settled = (outcome: AskOutcome) =>
      settleAsk(given(callPermission, ...history), contact, 'a', outcome);
    history.push(...settled({ kind: 'sent', messageSid: 'wamid.2' }));
    for (const late of [undeliverable, delivered, sent]) expect(settled(late)).toEqual([]);
    expect(settled({ ...undeliverable, messageSid: 'wamid.2' })).toMatchObject([
      { type: 'CallPermissionAskFailed' },
    ]);
  });
});

describe('an answer', () => {
  const reply = (response: 'accept' | 'reject' | 'revoke', at: number) =>
    ({ replyId: `${response} ${at}`, at: iso(at), response, isPermanent: false, expiresAt: null }) as const;

  test('given last holds, in whatever order the two are told', () => {
    const accept = reply('accept', start + hour);
    const revoke = reply('revoke', start + 2 * hour);
    for (const order of [
      [accept, revoke],
      [revoke, accept],
    ]) {
      const history = asked(sent);
      for (const each of order)
        history.push(recordReply(given(callPermission, ...history), contact, each, terms));
      expect(renderPermission(contact, null, circumstances(start + day, history)).status).toBe('revoked');
    }
  });

  test('within the second of the ask is an answer to it', () => {
    const history = askedAt(start + 400, sent);
    // The platform tells whole seconds.
    history.push(recordReply(given(callPermission, ...history), contact, reply('reject', start), terms));
    expect(renderPermission(contact, null, circumstances(start + 900, history)).status).toBe('rejected');
  });

  test('that allows calls for a time ends when the platform says, or else after 7 days', () => {
    const told = { ...reply('accept', start), expiresAt: iso(start + hour) };
    for (const [answer, end] of [
      [told, start + hour],
      [reply('accept', start), start + 7 * day],
    ] as const) {
      const history = [recordReply(callPermission.initialState, contact, answer, terms)];
      const canCall = (now: number) => renderPermission(contact, null, circumstances(now, history)).can_call;
      expect([canCall(end - 1), canCall(end)]).toEqual([true, false]);
    }
  });
});

test.each(['v1', 'v2'])('histories with %s of a grant still fold to what they meant', (version) => {
  const history = golden<CallPermissionEvent>(
    'ContactWrote.v1',
    'CallPermissionAskStarted.v1',
    'CallPermissionAskUncertain.v1',
    'CallPermissionRequested.v1',
    'CallPermissionAskDelivered.v1',
    'CallPermissionReplyOutdated.v1',
    `CallPermissionGranted.${version}`,
    'ContactVoiceCallEnded.v1',
  );
  expect(given(callPermission, ...history)).toEqual({
    asks: [
      {
        id: '0193e2a0-0000-5000-8000-00000000000a',
        at: '2026-11-21T10:00:00.250Z',
        status: 'sent',
        isDelivered: true,
        messageSid: 'wamid.HBgMNDkxNzAxMjM0NTY3FQIAERg',
        fingerprint: null,
      },
    ],
    failedAsks: [],
    reply: {
      id: 'wamid.HBgMNDkxNzAxMjM0NTY3FQIAEhg',
      at: '2026-11-21T10:05:00.000Z',
      response: 'accept',
      expiresAt: '2026-11-28T10:05:00.000Z',
    },
    lastMessage: { id: 'wamid.HBgMNDkxNzAxMjM0NTY3FQIAEjA', at: '2026-11-21T09:58:00.000Z' },
    connectedCall: { id: '31', at: '2026-11-21T10:20:00.000Z' },
  });
  const gone = golden<CallPermissionEvent>('CallPermissionRejected.v1', 'CallPermissionRevoked.v1');
  expect(given(callPermission, ...history, ...gone).reply?.response).toBe('revoke');
  expect(
    given(callPermission, ...history, ...golden<CallPermissionEvent>('CallPermissionAskFailed.v1')).asks,
  ).toEqual([]);
});

test('operators name a permission by sender and number, or by what the platform calls who hides it', () => {
  for (const id of ['7:+491701234567', '7:DE.12345678901234567890'])
    expect(permissionStreamOf(id)).toBe(`permission-${id}`);
  for (const id of ['7', '7:', '7:491701234567', '0:+491701234567', '7:+49170 1234567', '7:DE.1', '']) {
    expect(permissionStreamOf(id)).toBeUndefined();
  }
});

test('an ask without a template to ask with is refused, and what is uncertain stays so', () => {
  expect(startAsk(circumstances(start, [wrote]), { ...ask('a'), templateId: null })).toEqual({
    code: 'voice_template_not_found',
  });
  const uncertain = given(callPermission, ...asked({ kind: 'unknown', reason: '' }));
  expect(settleAsk(uncertain, contact, 'a', { kind: 'unknown', reason: '' })).toEqual([]);
});
