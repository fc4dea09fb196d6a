import { Inject, Injectable } from '@nestjs/common';
import { invalidField, type PaymentMethodEvent, type Rejection, reject } from '@parley/contracts';
import { Aggregates, type Decision, type ExecuteResult } from '@parley/event-store';
import { decidedWithOrigin } from '@parley/processing';
import type { Declined, PaymentCard, Payments, ProviderFailure, ProviderResult } from '@parley/providers';
import type { Cause } from '@parley/service-kit';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { askAgain } from '../payments/ask-again.ts';
import { PAYMENTS } from '../payments/providers.ts';
import {
  type CardOnFile,
  type PaymentMethod,
  paymentMethod,
  paymentMethodCategory,
  paymentMethodStream,
  toCard,
} from './payment-method.ts';
import { type Settling, settlingTimer, settlingTimerId } from './settling.ts';

/** Who pays: the account as a customer of the payment provider. */
export interface Payer {
  readonly customerId: string;
}

/** What accounts pay with. */
@Injectable()
export class PaymentMethods {
  readonly #aggregates: Aggregates;
  readonly #payments: Payments;

  constructor(aggregates: Aggregates, @Inject(PAYMENTS) payments: Payments) {
    this.#aggregates = aggregates;
    this.#payments = payments;
  }

  /** `null` when nothing is on file. */
  async of(accountId: number): Promise<Payer | null> {
    const { customerId, card } = (await this.load(accountId)).state;
    return customerId !== null && card ? { customerId } : null;
  }

  load(accountId: number) {
    return this.#aggregates.load(paymentMethodStream(accountId), paymentMethod);
  }

  /** Puts what the token stands for on file, and has the provider charge it from then on. */
  async set(
    accountId: number,
    token: string,
    cause: Cause,
    expectedVersion: number | null,
  ): Promise<ExecuteResult> {
    const known = cause.command && (await this.#aggregates.answerOf(cause.command));
    if (known) return known;
    const { state: before, version } = await this.load(accountId);
    if (expectedVersion !== null && expectedVersion !== version) return rejected(reject('version_mismatch'));
    // After a declined card the same request may come with another one (ADR 6): to the provider that is another request.
    const key = `parley-method-${uuidv5(token, cause.command?.commandId ?? uuidv7())}`;
    const attached = await this.#attach(before.customerId, { accountId, token, key }, cause);
    if (attached.kind !== 'ok') return rejected(refusalOf(attached));
    const { methodId } = attached.value;
    let settling: Settling = { accountId, methodId, replacedId: null };
    const result = await this.#change(accountId, cause, ({ card, formerMethodIds }) => {
      // A former method is being forgotten by the provider, or is already: it could not be charged.
      if (formerMethodIds.includes(methodId)) return invalidToken();
      if (expectedVersion !== null && card?.methodId !== before.card?.methodId)
        return reject('version_mismatch');
      settling = { accountId, methodId, replacedId: card?.methodId ?? null };
      return { ...setCard(attached.value), timers: [settlingTimer(settling)] };
    });
    if (result.kind === 'rejected') await this.#forgetLater(accountId, methodId, cause);
    else if (!result.replayed) await this.#settleNow(settling, cause);
    return result;
  }

  /** The provider has it, and it did not come on file; another request may be about to put it there. */
  async #forgetLater(accountId: number, methodId: string, cause: Cause): Promise<void> {
    const timers = [settlingTimer({ accountId, methodId: null, replacedId: methodId })];
    await this.#change(accountId, { ...cause, command: null }, () => ({ events: [], timers, reply: '{}' }));
  }

  /** What fails here is made up for by the timer. */
  async #settleNow(settling: Settling, cause: Cause): Promise<void> {
    if (await this.settle(settling)) return;
    const cancelTimers = [settlingTimerId(settling)];
    await this.#change(settling.accountId, { ...cause, command: null }, () => ({
      events: [],
      cancelTimers,
      reply: '{}',
    }));
  }

  /** Has the provider charge what is on record by now, then forget what was before; `null` when it does. */
  async settle({ accountId, replacedId }: Settling): Promise<ProviderFailure | null> {
    const used = await this.useOnFile(accountId);
    if (used.kind !== 'ok') return used;
    if (replacedId === null || replacedId === used.value?.methodId) return null;
    const detached = await askAgain(() => this.#payments.detachMethod(replacedId));
    return detached.kind === 'unavailable' || detached.kind === 'unknown' ? detached : null;
  }

  /**
   * Makes the provider charge the method that is on file, and returns that method. May be repeated, also by several at once:
   * the last one to tell the provider looks at the record afterwards.
   */
  async useOnFile(accountId: number): Promise<ProviderResult<CardOnFile | null>> {
    const { customerId, card } = (await this.load(accountId)).state;
    if (customerId !== null && card) {
      const used = await askAgain(() => this.#payments.useMethod(customerId, card.methodId));
      // A refusal stands: what is on record there has been removed.
      if (used.kind === 'unavailable' || used.kind === 'unknown') return used;
    }
    const { state: present } = await this.load(accountId);
    return present.card?.methodId === card?.methodId
      ? { kind: 'ok', value: card }
      : this.useOnFile(accountId);
  }

  /** Takes it off file; the provider forgets it afterwards, as soon as it is there. */
  async remove(accountId: number, cause: Cause, expectedVersion: number | null): Promise<ExecuteResult> {
    let settling: Settling | undefined;
    const result = await this.#change(accountId, cause, ({ card }, version) => {
      if (!card) return reject('not_found');
      if (expectedVersion !== null && expectedVersion !== version) return reject('version_mismatch');
      settling = { accountId, methodId: null, replacedId: card.methodId };
      return { ...removeCard(card), timers: [settlingTimer(settling)] };
    });
    if (settling && result.kind === 'done' && !result.replayed) await this.#settleNow(settling, cause);
    return result;
  }

  /** To the customer that the account is; to a new one when the provider knows that one no more. */
  async #attach(
    known: string | null,
    { accountId, token, key }: { readonly accountId: number; readonly token: string; readonly key: string },
    cause: Cause,
  ): Promise<ProviderResult<PaymentCard> | Declined> {
    const attach = (customerId: string) =>
      askAgain(() => this.#payments.attachMethod(customerId, token, `${key}-${customerId}`));
    const attached = known === null ? unknownCustomer : await attach(known);
    if (attached.kind !== 'rejected' || attached.code !== unknownCustomer.code) return attached;
    const created = await this.#becomeCustomer(accountId, known, cause);
    return created.kind === 'ok' ? attach(created.value.customerId) : created;
  }

  /** The same customer however often it is asked for, unless the provider failed at that one. */
  async #becomeCustomer(accountId: number, before: string | null, cause: Cause) {
    const key = `parley-customer-${await this.#nameOf(accountId, cause)}-${before ?? 'first'}`;
    const metadata = { account_id: String(accountId) };
    const created = await askAgain(() => this.#payments.createCustomer(metadata, key));
    if (created.kind !== 'ok') return created;
    let { customerId } = created.value;
    await this.#change(accountId, { ...cause, command: null }, (state) => {
      if (state.customerId === before)
        return {
          events: [{ type: 'PaymentCustomerCreated', data: { customer_id: customerId } }],
          reply: '{}',
        };
      // Another request was first: one customer has all cards.
      customerId = state.customerId ?? customerId;
      return { events: [], reply: '{}' };
    });
    return { kind: 'ok', value: { customerId } } as const;
  }

  /** For ever the same. Other installations, which may have the same account at the provider, have the same account ids. */
  async #nameOf(accountId: number, cause: Cause): Promise<string> {
    let name: string = uuidv7();
    await this.#change(accountId, { ...cause, command: null }, () => ({
      events: [],
      claims: [{ op: 'take', scope: 'payment-customer', key: String(accountId), owner: name }],
      onClaimTaken({ owner }) {
        name = owner;
        return reject('contended');
      },
      reply: '{}',
    }));
    return name;
  }

  #change(
    accountId: number,
    cause: Cause,
    decide: (state: PaymentMethod, version: number) => Decision<PaymentMethodEvent> | Rejection,
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute({
      ...cause,
      streamId: paymentMethodStream(accountId),
      category: paymentMethodCategory,
      accountId,
      fold: paymentMethod,
      decide: (...known) => decidedWithOrigin(decide(...known), accountId, cause.metadata),
    });
  }
}

const unknownCustomer = {
  kind: 'rejected',
  code: 'unknown_customer',
  message: 'There is no customer.',
} as const;

const rejected = (rejection: Rejection): ExecuteResult => ({ kind: 'rejected', rejection });

function setCard(card: PaymentCard): Decision<PaymentMethodEvent> {
  const { methodId, brand, last4, expMonth, expYear } = card;
  const data = { payment_method_id: methodId, brand, last4, exp_month: expMonth, exp_year: expYear };
  return {
    events: [{ type: 'PaymentMethodSet', data }],
    reply: { message: 'Payment method updated successfully', data: toCard(card) },
  };
}

const removeCard = ({ methodId }: CardOnFile): Decision<PaymentMethodEvent> => ({
  events: [{ type: 'PaymentMethodRemoved', data: { payment_method_id: methodId } }],
  reply: { message: 'Payment method removed successfully' },
});

const invalidToken = (): Rejection => invalidField('token', 'The selected token is invalid.');

function refusalOf(outcome: Exclude<ProviderResult<unknown> | Declined, { kind: 'ok' }>): Rejection {
  switch (outcome.kind) {
    case 'declined':
      return invalidField('token', 'The card was declined.');
    case 'rejected':
      return invalidToken();
    case 'unavailable':
    case 'unknown':
      return reject('unavailable');
    default:
      return outcome satisfies never;
  }
}
