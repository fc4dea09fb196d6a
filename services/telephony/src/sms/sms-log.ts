import type { Rejection, SmsEvent } from '@parley/contracts';
import type { Aggregates, Decision, EventMetadata, EventStore, ExecuteResult } from '@parley/event-store';
import { decidedWithOrigin, earlierSend } from '@parley/processing';
import type { Cause } from '@parley/service-kit';
import { answerRequest, type Payment, recordSent } from './decisions.ts';
import { isAtWork, isOpen, type Sms, type StartedSms, sms, smsCategory, smsStream } from './sms.ts';
import { type Checked, smsChecks } from './sms-check.ts';

type Decide<Reply> = (state: Sms) => Decision<SmsEvent, Reply> | Rejection;

/** The account of an SMS, and the correlation id of its first event. */
interface SmsOrigin {
  readonly accountId: number;
  readonly correlationId: string;
  /** Id of the SMS's first event. */
  readonly eventId: string;
}

/** The streams of SMS; each change is one append. */
export class SmsLog {
  readonly #aggregates: Aggregates;
  readonly #store: EventStore;

  constructor(aggregates: Aggregates, store: EventStore) {
    this.#aggregates = aggregates;
    this.#store = store;
  }

  load(id: number) {
    return this.#aggregates.load(smsStream(id), sms);
  }

  /** Account and trace of an SMS; `null` when there is no such SMS. */
  async originOf(id: number): Promise<SmsOrigin | null> {
    const [first] = await this.#store.readStream(smsStream(id), { toVersion: 1 });
    if (!first || first.accountId === null) return null;
    const { accountId, eventId, metadata } = first;
    return { accountId, eventId, correlationId: metadata.correlationId };
  }

  /** Whether the SMS is on record without a known outcome. */
  async isOpen(id: number): Promise<boolean> {
    const { state } = await this.load(id);
    return state?.phase === 'outgoing' && isOpen(state);
  }

  /**
   * Sets the check of the SMS, and ties the request to it. Returns the id of the SMS that the request was tied to
   * before; null when there was none.
   */
  async prepare(checked: Checked, accountId: number, { metadata }: Cause): Promise<number | null> {
    const decide = () => smsChecks.prepare(checked);
    return earlierSend(await this.change(checked.sms_id, accountId, metadata, decide));
  }

  /** Postpones the check while the send is under way. */
  async renew(checked: Checked, accountId: number, metadata: EventMetadata): Promise<void> {
    await this.change(checked.sms_id, accountId, metadata, (state) =>
      smsChecks.renew(isAtWork(state), checked),
    );
  }

  /** Undoes `prepare`: nothing was handed over, and the request may be made again. */
  async abandon(checked: Checked, accountId: number, metadata: EventMetadata): Promise<void> {
    await this.change(checked.sms_id, accountId, metadata, () => smsChecks.abandon(checked));
  }

  /** Records that the carrier has taken the SMS; its answer is that of the command for ever. */
  complete(
    start: StartedSms,
    accountId: number,
    metadata: EventMetadata,
    { carrierSid, payment }: { readonly carrierSid: string; readonly payment: Payment },
  ): Promise<ExecuteResult> {
    const { sms_id, command_id: commandId } = start;
    const command = commandId === null ? null : { commandId, fingerprint: null };
    return this.change(
      sms_id,
      accountId,
      metadata,
      (state) => recordSent(state, carrierSid, payment),
      command,
    );
  }

  /** The answer of the request that has sent this SMS. */
  answer(id: number, accountId: number, { command, metadata }: Cause): Promise<ExecuteResult> {
    return this.change(id, accountId, metadata, answerRequest, command);
  }

  /** Appends what `decide` decides; its timers carry the account and the trace. */
  change<Reply>(
    id: number,
    accountId: number,
    metadata: EventMetadata,
    decide: Decide<Reply>,
    command: Cause['command'] = null,
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      streamId: smsStream(id),
      category: smsCategory,
      accountId,
      fold: sms,
      metadata,
      command,
      decide: (state) => decidedWithOrigin(decide(state), accountId, metadata),
    });
  }
}
