import type { CallEndedEvent, CallPermissionEvent } from '@parley/contracts';
import { given } from '@parley/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AskOutcome, settleAsk, startAsk } from './asking.ts';
import { callPermission } from './call-permission.ts';
import { contactWrote, recordReply, voiceCallEnded } from './happenings.ts';
import { ask, circumstances, contact, day, hour, iso, start, terms } from './permission.fixture.ts';
import { renderLimits, renderPermission } from './render.ts';
import { isGranted } from './standing.ts';

/** What happened, as somebody outside would note it down: the reference for everything that is decided. */
interface Model {
  now: number;
  /** When the asks that went out were made. */
  asked: Map<string, number>;
  /** Those that arrived. */
  delivered: Set<string>;
  wrote: number[];
  /** Answers with when they were given; of the same time, the one told last holds. */
  replies: { at: number; until: number }[];
  connected: number[];
  /** Asks that the platform has not answered: they count until it refuses them. */
  uncertain: Map<string, number>;
}

/** The decisions themselves, on a history that only grows. */
interface Real {
  history: CallPermissionEvent[];
  asks: number;
}

const mayAsk = ({ now, asked, wrote, replies, connected, uncertain }: Model): boolean => {
  const lastConnected = Math.max(Number.NEGATIVE_INFINITY, ...connected);
  const counted = [...asked.values(), ...uncertain.values()].filter((at) => at >= lastConnected);
  const within = (ms: number) => counted.filter((at) => now - at < ms).length;
  const isOpen = wrote.some((at) => now - at < day);
  return isOpen && !mayCall({ now, replies }) && within(day) < 1 && within(7 * day) < 2;
};

function mayCall({ now, replies }: Pick<Model, 'now' | 'replies'>): boolean {
  const latest = replies.reduce<{ at: number; until: number } | null>(
    (held, reply) => (held && held.at > reply.at ? held : reply),
    null,
  );
  return latest !== null && now < latest.until;
}

const about = (model: Model, real: Real) => circumstances(model.now, real.history);

function checkAgainst(model: Model, real: Real): void {
  const shown = renderPermission(contact, null, about(model, real));
  expect(shown.can_request).toBe(mayAsk(model));
  expect(shown.can_call).toBe(mayCall(model));
  expect(shown.session_open).toBe(model.wrote.some((at) => model.now - at < day));
  // "Never above" looked at from outside: asks that went out, between connected calls.
  const lastConnected = Math.max(Number.NEGATIVE_INFINITY, ...model.connected);
  const out = [...model.asked.values(), ...model.uncertain.values()].filter((at) => at >= lastConnected);
  for (const at of out) {
    const since = (ms: number) => out.filter((other) => other <= at && at - other < ms).length;
    expect([since(day) <= 1, since(7 * day) <= 2]).toEqual([true, true]);
  }
}

type Command = fc.Command<Model, Real>;

const happens = (name: string, run: (model: Model, real: Real) => void): Command => ({
  check: () => true,
  run(model, real) {
    run(model, real);
    checkAgainst(model, real);
  },
  toString: () => name,
});

/** To the second, to the millisecond around the edges of every window, and by leaps. */
const step = fc.oneof(
  fc.integer({ min: 0, max: 5_000 }),
  fc
    .tuple(fc.constantFrom(hour, day, 2 * day, 7 * day), fc.integer({ min: -1, max: 1 }))
    .map(([ms, edge]) => ms + edge),
  fc.integer({ min: 0, max: 8 * day }),
);

const advance = step.map((ms) => happens(`advance(${ms} ms)`, (model) => (model.now += ms)));

/** Told late: what happened `ago` becomes known now. */
const ago = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2 * day) });

const write = ago.map((late) =>
  happens(`write(${late} ms ago)`, (model, real) => {
    const at = model.now - late;
    real.history.push(contactWrote(contact, `m${at}`, iso(at)));
    model.wrote.push(at);
  }),
);

const outcome = fc.constantFrom<AskOutcome>(
  { kind: 'sent', messageSid: 'wamid.1' },
  { kind: 'sent', messageSid: 'wamid.1' },
  { kind: 'failed', code: '1', reason: 'no' },
  { kind: 'unknown', reason: 'no answer' },
);

const asking = outcome.map((result) =>
  happens(`ask(${result.kind})`, (model, real) => {
    real.asks += 1;
    const askId = `ask-${real.asks}`;
    const decision = startAsk(about(model, real), ask(askId));
    expect('events' in decision).toBe(mayAsk(model));
    if (!('events' in decision)) {
      expect(['session_closed', 'request_limit']).toContain(decision.code);
      return;
    }
    real.history.push(...decision.events);
    // While it is under way, and when its command is repeated, nobody else gets to ask.
    expect('code' in startAsk(about(model, real), ask('another'))).toBe(true);
    expect(startAsk(about(model, real), ask(askId))).toMatchObject({ code: 'idempotency_in_progress' });
    real.history.push(...settleAsk(given(callPermission, ...real.history), contact, askId, result));
    if (result.kind === 'sent') model.asked.set(askId, model.now);
    if (result.kind === 'unknown') model.uncertain.set(askId, model.now);
  }),
);

/** A status tells, after all, what became of an ask that had no answer; told twice, it is the same. */
const resolve = fc.boolean().map((wentOut) =>
  happens(`resolve(${wentOut ? 'sent' : 'failed'})`, (model, real) => {
    const [first] = model.uncertain;
    if (!first) return;
    const [askId, at] = first;
    const result: AskOutcome = wentOut
      ? { kind: 'sent', messageSid: null }
      : { kind: 'failed', code: null, reason: 'failed' };
    for (let told = 0; told < 2; told += 1)
      real.history.push(...settleAsk(given(callPermission, ...real.history), contact, askId, result));
    model.uncertain.delete(askId);
    if (wentOut) model.asked.set(askId, at);
  }),
);

/** Statuses tell of an ask that went out that it did not arrive: for good, unless they also tell that it did. */
const giveUp = fc
  .shuffledSubarray(['sent', 'undeliverable', 'delivered'] as const, { minLength: 1 })
  .map((statuses) =>
    happens(`statuses(${statuses})`, (model, real) => {
      const [askId] = [...model.asked.keys()].slice(-1);
      if (askId === undefined) return;
      for (const status of statuses) {
        const told: AskOutcome =
          status === 'undeliverable'
            ? { kind: status, messageSid: 'wamid.1', code: null, reason: 'failed' }
            : { kind: status, messageSid: 'wamid.1', at: iso(model.now) };
        real.history.push(...settleAsk(given(callPermission, ...real.history), contact, askId, told));
        if (status === 'delivered') model.delivered.add(askId);
      }
      if (statuses.includes('undeliverable') && !model.delivered.has(askId)) model.asked.delete(askId);
    }),
  );

const reply = fc
  .record({
    response: fc.constantFrom('accept', 'accept', 'reject', 'revoke'),
    isPermanent: fc.boolean(),
    late: ago,
  })
  .map(({ response, isPermanent, late }) =>
    happens(`${response}(${isPermanent ? 'permanent, ' : ''}${late} ms ago)`, (model, real) => {
      const at = model.now - late;
      const state = given(callPermission, ...real.history);
      const told = {
        replyId: `r${real.history.length}`,
        at: iso(at),
        response,
        isPermanent,
        expiresAt: null,
      };
      real.history.push(recordReply(state, contact, told, terms));
      const until = response !== 'accept' ? 0 : isPermanent ? Number.POSITIVE_INFINITY : at + 7 * day;
      model.replies.push({ at, until });
      if (late === 0) expect(isGranted(given(callPermission, ...real.history), model.now)).toBe(until > 0);
    }),
  );

const call = fc
  .record({ status: fc.constantFrom('completed', 'completed', 'no_answer', 'busy', 'failed'), late: ago })
  .map(({ status, late }) =>
    happens(`call(${status}, ${late} ms ago)`, (model, real) => {
      const at = model.now - late;
      real.history.push(
        voiceCallEnded(contact, { ...aCall, status, finished_at: iso(at) }, new Date(model.now)),
      );
      if (status === 'completed') model.connected.push(at);
      const justAsked = [...model.asked.values(), ...model.uncertain.values()].includes(at);
      if (status === 'completed' && late === 0 && !justAsked)
        expect(renderLimits(about(model, real)).limits.map(({ used }) => used)).toEqual([0, 0]);
    }),
  );

const aCall: CallEndedEvent['data'] = {
  call_id: 1,
  direction: 'outbound',
  assistant_id: null,
  customer_phone: contact.phone,
  assistant_phone: '+4930123456',
  status: 'completed',
  duration_s: 10,
  transcript: [],
  recording_url: null,
  recording_follows: false,
  extracted_variables: {},
  input_variables: {},
  lead_id: null,
  campaign_id: null,
  created_at: iso(start),
  finished_at: iso(start),
};

/** Asks are worth nothing without an open session, so the two come together often. */
const commands = fc.commands([write, asking, asking, write, advance, advance, resolve, giveUp, reply, call], {
  maxCommands: 60,
  // Else a history is seldom longer than ten steps, and the limit of a week is met by none.
  size: 'max',
});

test('no history leads to more asks than the limits allow, to one in a closed session, or to one that is granted', () => {
  fc.assert(
    fc.property(commands, (run) => {
      fc.modelRun(
        () => ({
          model: {
            now: start,
            asked: new Map(),
            delivered: new Set<string>(),
            wrote: [],
            replies: [],
            connected: [],
            uncertain: new Map(),
          },
          real: { history: [], asks: 0 },
        }),
        run,
      );
    }),
    { numRuns: 2_000 },
  );
});
