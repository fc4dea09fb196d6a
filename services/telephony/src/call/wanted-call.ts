import { invalidField, type Rejection, reject } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { isPhoneNumber } from '@parley/phone-numbers';
import { isOnCall } from '../views/call-queries.ts';
import { findNumber } from '../views/number-queries.ts';
import type { WantedCall } from './calls.ts';
import type { CallLookups } from './other-services.ts';

interface Asked {
  readonly accountId: number;
  readonly assistantId: number;
  readonly phoneNumber: string;
  readonly variables: WantedCall['input_variables'];
  readonly leadId: number | null;
  readonly campaignId: number | null;
  readonly correlationId: string;
}

/**
 * Characters as JSON: a page holds a hundred calls and must fit into one answer. A request body holds less, unless it
 * writes numbers such as `1e20`.
 */
const maxVariablesLength = 256 * 1024;

/**
 * Checks a call on the phone network by the rules for every assistant that calls; the rejection names the rule that
 * fails.
 */
export async function wantedCall(
  sql: SqlExecutor,
  lookups: CallLookups,
  asked: Asked,
): Promise<WantedCall | Rejection> {
  const { accountId, assistantId, phoneNumber, correlationId } = asked;
  if (!isPhoneNumber(phoneNumber))
    return invalidField('phone_number', 'The phone number field must be a valid number in E.164 format.');
  const assistant = await lookups.assistant(accountId, assistantId, correlationId);
  if (!assistant) return reject('not_found', { message: 'Assistant not found' });
  if (assistant.type !== 'outbound')
    return invalidField('assistant_id', 'The assistant must be an outbound one.');
  const { phone_number_id: id } = assistant;
  const number = id === null ? null : await findNumber(sql, { accountId, id });
  if (!number) return invalidField('assistant_id', 'The assistant has no phone number to call from.');
  const inputVariables = { ...assistant.variables, ...asked.variables };
  if (JSON.stringify(inputVariables).length > maxVariablesLength)
    return invalidField(
      'variables',
      `The variables of a call, with those of its assistant, must not be larger than ${maxVariablesLength} characters in all.`,
    );
  return {
    accountId,
    channel: 'phone',
    assistant_id: assistantId,
    customer_phone: phoneNumber,
    assistant_phone: number.phone_number,
    phone_number_id: number.id,
    sender_id: null,
    lead_id: asked.leadId,
    campaign_id: asked.campaignId,
    input_variables: inputVariables,
    max_duration_s: assistant.max_duration,
  };
}

const assistantPutRightSeconds = 15 * 60;

/**
 * Makes a rejection for the assistant's sake one to retry: a missing or unfit assistant stops all calls of its campaign
 * until the account corrects that.
 */
const orLater = (wanted: WantedCall | Rejection): WantedCall | Rejection =>
  'code' in wanted && (wanted.code === 'not_found' || wanted.fields?.assistant_id)
    ? { ...wanted, retryAfterSeconds: assistantPutRightSeconds }
    : wanted;

/**
 * Seconds after which a campaign asks again about somebody who is on a call: its others wait for as long, and it rests that
 * long anyway after a lead that it could not reach.
 */
const onCallSeconds = 5;

/**
 * Checks a call of a campaign. Refused while the person is on a call of the account, as two assistants at once are one
 * too many. Campaigns of one account ask one after the other, so of two with the same person the second finds the call
 * of the first.
 */
export async function wantedCampaignCall(
  sql: SqlExecutor,
  lookups: CallLookups,
  asked: Asked,
): Promise<WantedCall | Rejection> {
  if (await isOnCall(sql, asked))
    return {
      ...invalidField('phone_number', 'This person is on a call of the account already.'),
      retryAfterSeconds: onCallSeconds,
    };
  return orLater(await wantedCall(sql, lookups, asked));
}

/** Seconds, where no assistant sets another limit. */
const defaultMaxDurationS = 600;

/** A call from a sender of the chat app. Messaging has checked that the customer allows it. */
export async function wantedChatCall(
  lookups: CallLookups,
  asked: {
    readonly accountId: number;
    readonly senderId: number;
    readonly senderPhone: string;
    readonly customerPhone: string;
    readonly assistantId: number | null;
    readonly correlationId: string;
  },
): Promise<WantedCall> {
  const { accountId, assistantId, correlationId } = asked;
  const assistant =
    assistantId === null ? null : await lookups.assistant(accountId, assistantId, correlationId);
  return {
    accountId,
    channel: 'chatapp',
    assistant_id: assistant ? assistantId : null,
    customer_phone: asked.customerPhone,
    assistant_phone: asked.senderPhone,
    phone_number_id: null,
    sender_id: asked.senderId,
    lead_id: null,
    campaign_id: null,
    input_variables: assistant?.variables ?? {},
    max_duration_s: assistant?.max_duration ?? defaultMaxDurationS,
  };
}
