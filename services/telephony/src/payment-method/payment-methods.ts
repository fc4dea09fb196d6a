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
  type PaymentMethod,
  paymentMethod,
  paymentMethodCategory,
  paymentMethodStream,
  toCard,
} from './payment-method.ts';
import { type Settling, settlingTimer, settlingTimerId } from './settling.ts';

/** The account as a customer of the payment provider. */
export interface Payer {
  readonly customerId: string;
}

/** The cards that accounts pay with: on record here, and attached at the payment provider. */
@Injectable()
export class PaymentMethods {
  readonly #aggregates: Aggregates;
  readonly #payments: Payments;

  constructor(aggregates: Aggregates, @Inject(PAYMENTS) payments: Payments) {
    this.#aggregates = aggregates;
    this.#payments = payments;
  }

  /** Who pays for the account; `null` when no card is on file. */
  async of(accountId: number): Promise<Payer | null> {
    const { customerId, card } = (await this.load(accountId)).state;
    return customerId !== null && card ? { customerId } : null;
  }

  load(accountId: number) {
    return this.#aggregates.load(paymentMethodStream(accountId), paymentMethod);
  }

  /**
   * Puts the card behind the token on file, and makes it the one that the provider charges. `expectedVersion` null: any
   * version.
   */
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
    // After a declined card the same request may come with another token (ADR 6), which is another request to the
    // provider.
    const key = `parley-method-${uuidv5(token, cause.command?.commandId ?? uuidv7())}`;
    const attached = await this.#attach(before.customerId, { accountId, token, key }, cause);
    if (attached.kind !== 'ok') return rejected(refusalOf(attached));
    const { methodId } = attached.value;
    let settling: Settling = { accountId, methodId, replacedId: null };
    const result = await this.#change(accountId, cause, ({ card, formerMethodIds }) => {
      // The provider forgets former cards, so this one could not be charged.
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

  /**
   * Has a card forgotten that the provider has and that did not come on file. By a timer, as another request may be
   * about to put it on file.
   */
  async #forgetLater(accountId: number, methodId: string, cause: Cause): Promise<void> {
    const timers = [settlingTimer({ accountId, methodId: null, replacedId: methodId })];
    await this.#change(accountId, { ...cause, command: null }, () => ({ events: [], timers, reply: '{}' }));
  }

  /** Tells the provider of the change at once; what fails here, the timer does later. */
  async #settleNow(settling: Settling, cause: Cause): Promise<void> {
    if (await this.settle(settling)) return;
    const cancelTimers = [settlingTimerId(settling)];
    await this.#change(settling.accountId, { ...cause, command: null }, () => ({
      events: [],
      cancelTimers,
      reply: '{}',
    }));
  }

  /**
   * Makes the provider charge the card that is on file by now, and forget the replaced one; `null` when that is done.
   */
  async settle({ accountId, replacedId }: Settling): Promise<ProviderFailure | null> {
    const used = await this.useOnFile(accountId);
    if (used.kind !== 'ok') return used;
    if (replacedId === null || replacedId === used.value?.methodId) return null;
    const detached = await askAgain(() => this.#payments.detachMethod(replacedId));
    return detached.kind === 'unavailable' || detached.kind === 'unknown' ? detached : null;
  }

  /**
   * Makes the provider charge the card that is on file, and returns that card. May be repeated, also by several
   * processes at once: each looks at the record again after it has told the provider.
   */
  async useOnFile(accountId: number): Promise<ProviderResult<PaymentCard | null>> {
    const { customerId, card } = (await this.load(accountId)).state;
    if (customerId !== null && card) {
      const used = await askAgain(() => this.#payments.useMethod(customerId, card.methodId));
      // A refusal is final: the card was removed at the provider.
      if (used.kind === 'unavailable' || used.kind === 'unknown') return used;
    }
    const { state: present } = await this.load(accountId);
    return present.card?.methodId === card?.methodId
      ? { kind: 'ok', value: card }
      : this.useOnFile(accountId);
  }

  /** Takes the card off file; the provider is made to forget it afterwards. */
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

  /** Attaches the card to the account's customer, or to a new one if it has none or the provider no longer knows it. */
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

  /**
   * Creates a customer for the account. The same key for each repetition, so that it is one customer, unless the
   * provider's answer was a failure that it keeps.
   */
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
      // Another request was faster: all cards belong to one customer.
      customerId = state.customerId ?? customerId;
      return { events: [], reply: '{}' };
    });
    return { kind: 'ok', value: { customerId } } as const;
  }

  /**
   * A random name of the account that never changes. Account ids are the same in other installations, which may share
   * our account at the provider.
   */
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

const removeCard = ({ methodId }: PaymentCard): Decision<PaymentMethodEvent> => ({
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
