import type { NumberEvent } from '@parley/contracts';
import {
  Aggregates,
  type Decision,
  type EventMetadata,
  type ExecuteResult,
  mustBeDone,
  type TimerRequest,
} from '@parley/event-store';
import type { Logger } from '@parley/process-kit';
import { throughOutages, underLease } from '@parley/processing';
import type { Cause } from '@parley/service-kit';
import { numberCategory, numberStream, type OneNumber, phoneNumber } from '../number.ts';
import { nextStep, type Step } from './next-step.ts';
import type { ProviderSteps } from './provider-steps.ts';
import { purchaseAnswer } from './purchase-answer.ts';
import { freeNumber } from './request-purchase.ts';
import { type NumberWorkPayload, numberWorkId, workTimer } from './work-timer.ts';

/**
 * Milliseconds for which the database is waited for. After that another process finds the step's result at the
 * provider.
 */
const patienceMs = 5_000;

/** Takes purchases and releases step by step to their end; each step is on record before the next begins. */
export class NumberWork {
  readonly #aggregates: Aggregates;
  readonly #steps: ProviderSteps;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #closing: AbortSignal;

  constructor(
    aggregates: Aggregates,
    steps: ProviderSteps,
    logger: Pick<Logger, 'warn'>,
    closing: AbortSignal,
  ) {
    this.#aggregates = aggregates;
    this.#steps = steps;
    this.#logger = logger;
    this.#closing = closing;
  }

  /**
   * Takes steps until none is left or a provider fails. The recheck after a failed purchase is left to its timer, which
   * sets `isTakenUp`.
   */
  async drive(
    work: NumberWorkPayload,
    metadata: EventMetadata,
    { isTakenUp }: { readonly isTakenUp: boolean } = { isTakenUp: false },
  ): Promise<void> {
    try {
      let isAgain = isTakenUp;
      while (await this.#takeStep(work, metadata, isAgain)) isAgain = false;
    } catch (error) {
      // A recheck keeps the time of its own timer.
      void this.#takeUpSoon(work, metadata, (next) => next !== 'recheck').catch(() => undefined);
      throw error;
    }
  }

  /**
   * Takes the next step; whether another may follow. `isAgain`: this step may have been begun before, however long ago.
   */
  async #takeStep(work: NumberWorkPayload, metadata: EventMetadata, isAgain: boolean): Promise<boolean> {
    const loaded = await this.#patiently(() => this.#load(work.number_id));
    const { state: number, recordedAt: dueSince } = loaded;
    const step = number && nextStep(number);
    if (!number || !step || !dueSince || (step === 'recheck' && !isAgain)) return false;
    const outcome = await underLease(
      () => this.#setTimer(workTimer(work), work, metadata, (next) => next === step),
      () => this.#steps.take(step, number, { ...work, isAgain, dueSince }),
    );
    if ('kind' in outcome) {
      this.#logger.warn({ number: number.id, step, reason: outcome.message }, 'a step is taken again later');
      await this.#takeUpSoon(work, metadata, (next) => next === step);
      return false;
    }
    // The operator may have to act: papers of theirs, or their account at a provider, are not in order.
    if (outcome.type === 'NumberPurchaseFailed' && outcome.data.reason !== 'payment_failed')
      this.#logger.warn({ number: number.id, step, ...outcome.data }, 'a number could not be bought');
    await this.#record(step, outcome, number, work, metadata);
    return true;
  }

  /** Has a failed step taken up again without waiting for the end of its lease; the more often it failed, the later. */
  async #takeUpSoon(
    work: NumberWorkPayload,
    metadata: EventMetadata,
    isMeantFor: (next: Step) => boolean,
  ): Promise<void> {
    const timer = workTimer({ ...work, attempt: work.attempt + 1 }, 'soon');
    await throughOutages(this.#closing, () => this.#setTimer(timer, work, metadata, isMeantFor));
  }

  /** Sets the timer if there is a next step and the timer is meant for it. */
  #setTimer(
    timer: TimerRequest,
    work: NumberWorkPayload,
    metadata: EventMetadata,
    isMeantFor: (next: Step) => boolean,
  ): Promise<ExecuteResult> {
    return this.#change(work, metadata, null, (state) => {
      const next = state && nextStep(state);
      return { events: [], timers: next && isMeantFor(next) ? [timer] : [], reply: '{}' };
    });
  }

  async load(id: number): Promise<OneNumber | null> {
    return (await this.#load(id)).state;
  }

  #load(id: number) {
    return this.#aggregates.load(numberStream(id), phoneNumber);
  }

  #patiently<T>(task: () => Promise<T>): Promise<T> {
    const patience = AbortSignal.any([this.#closing, AbortSignal.timeout(patienceMs)]);
    return throughOutages(patience, task);
  }

  #change(
    work: NumberWorkPayload,
    metadata: EventMetadata,
    command: Cause['command'],
    decide: (state: OneNumber | null) => Decision<NumberEvent>,
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      streamId: numberStream(work.number_id),
      category: numberCategory,
      accountId: work.account_id,
      fold: phoneNumber,
      metadata,
      command,
      decide,
    });
  }

  async #record(
    step: Step,
    event: NumberEvent,
    { commandId, commandFingerprint }: OneNumber,
    work: NumberWorkPayload,
    metadata: EventMetadata,
  ): Promise<void> {
    const isAnswered = event.type === 'NumberPurchased' && commandId !== null;
    // The completed purchase is the answer of its command.
    const command = isAnswered ? { commandId, fingerprint: commandFingerprint } : null;
    const result = await this.#patiently(() =>
      this.#change(work, metadata, command, (state) =>
        // If another process was faster, it has recorded this, or something that makes it pointless.
        state && nextStep(state) === step ? recording(state, event, work) : { events: [], reply: '{}' },
      ),
    );
    mustBeDone(result, `${event.type} of number ${work.number_id}`);
  }
}

/** The event, with the timers and claims that its step leaves. */
function recording(number: OneNumber, event: NumberEvent, work: NumberWorkPayload): Decision<NumberEvent> {
  const { id } = number;
  const done = { events: [event], cancelTimers: [numberWorkId(id)], reply: '{}' };
  const goOn = { ...work, attempt: 0 };
  switch (event.type) {
    case 'NumberPurchased':
      return { ...done, reply: purchaseAnswer(number) };
    case 'NumberPurchaseUndone': {
      const claims = [freeNumber(number)];
      // Before there was a price, no provider was asked for anything.
      if (!number.price) return { ...done, claims };
      return { events: [event], claims, timers: [workTimer(goOn, 'recheck')], reply: '{}' };
    }
    case 'NumberReleased':
      return { ...done, claims: [freeNumber(number)] };
    case 'NumberPurchaseRechecked':
      return done;
    default:
      return { events: [event], timers: [workTimer(goOn)], reply: '{}' };
  }
}
