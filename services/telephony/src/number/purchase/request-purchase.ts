import type { NumberEvent, Rejection } from '@parley/contracts';
import type { ClaimChange, ClaimTaken, Decision } from '@parley/event-store';
import type { OfferedNumber } from '@parley/providers';
import { numberStream, type OneNumber, type PhoneNumber } from '../number.ts';
import { workTimer } from './work-timer.ts';

/** A purchase to begin. `purchaseId` names it at the providers; `offer` is the number as the carrier offers it now. */
export interface RequestPurchase {
  /** Fresh: no other number ever has it. */
  readonly id: number;
  readonly purchaseId: string;
  readonly accountId: number;
  readonly correlationId: string;
  readonly command: { readonly commandId: string; readonly fingerprint: string | null } | null;
  readonly offer: OfferedNumber;
}

const numberScope = 'phone-number';
const requestScope = 'number-purchase';

/**
 * Records a purchase before any provider is asked. Its claims keep other accounts from buying the number, and the
 * request from buying twice.
 */
export function requestPurchase(
  state: PhoneNumber,
  { id, purchaseId, accountId, correlationId, command, offer }: RequestPurchase,
): Decision<NumberEvent> {
  if (state) throw new Error(`Number ${id} was given out twice.`);
  const owner = numberStream(id);
  const { phoneNumber, country, type, smsCapable, voiceCapable } = offer;
  return {
    events: [
      {
        type: 'NumberPurchaseRequested',
        data: {
          number_id: id,
          purchase_id: purchaseId,
          phone_number: phoneNumber,
          country_code: country,
          type,
          sms_capable: smsCapable,
          voice_capable: voiceCapable,
          command_id: command?.commandId ?? null,
          command_fingerprint: command?.fingerprint ?? null,
        },
      },
    ],
    claims: [
      { op: 'take', scope: numberScope, key: phoneNumber, owner },
      ...(command ? [{ op: 'take', scope: requestScope, key: command.commandId, owner } as const] : []),
    ],
    timers: [workTimer({ number_id: id, account_id: accountId, correlation_id: correlationId, attempt: 0 })],
    onClaimTaken: inUse,
    reply: '{}',
  };
}

/** Names who has the number, as that may be another attempt of the same request. */
const inUse = ({ owner }: ClaimTaken): Rejection => ({ code: 'number_in_use', details: { owner } });

/** Frees the number, so that another account can buy it. */
export const freeNumber = ({ id, phoneNumber }: OneNumber): ClaimChange => ({
  op: 'release',
  scope: numberScope,
  key: phoneNumber,
  owner: numberStream(id),
});
