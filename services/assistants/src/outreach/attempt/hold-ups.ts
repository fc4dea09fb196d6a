import type { BusRejection } from '@parley/message-bus';

/** Seconds until a campaign asks again that something held up. */
export const quarterOfAnHour = 15 * 60;

/** Rejections that concern the whole campaign and not one lead, and pass by themselves or by what the account does. */
const codes = new Set([
  'insufficient_balance',
  'messaging_limit_reached',
  'sender_not_found',
  'sender_offline',
  'template_not_approved',
  'template_not_found',
]);

/**
 * The provider's codes, or their first parts, that do so as well. Of the chat platform: the sender or its account is
 * blocked, unpaid, not registered, deleted, without an approved name, or not ours to send from; the template is paused,
 * disabled, gone, for test numbers only, or has other gaps by now, which is not known here yet. Of the carrier: our
 * account is not active; the sending number is not ours, is being ported, or cannot send SMS.
 */
const providerCodes = new Set([
  ...['3', '10', '33', '100/33', '368', '131005', '131031', '131037', '131042', '131045', '131048', '133010'],
  ...['131058', '132000', '132001', '132007', '132015', '132016'],
  ...['10001', '20005', '20403', '21212', '21601', '21606', '21659', '21660', '21661', '21663'],
]);
/** The chat platform's range of codes for what our token may not do. */
const isForbidden = (code: string): boolean => /^2\d\d$/.test(code);

/**
 * Codes of rejections, and of providers, for what may be about all leads of a campaign, or about a few, and in how many
 * seconds such a lead is tried again, once: where it is about all, those are many in a row, and the campaign slows down
 * before its leads are used up; where it is about few, the others hardly wait.
 * - Where the lead is: our account, or the number that sends, may not send SMS there (21408, 21612), or WhatsApp messages
 *   (130497), until somebody has that put right.
 * - A template's picture, video or file that the chat platform could not fetch (131053): its link is wrong, or whoever
 *   holds it, or the chat platform itself, had too many requests just then.
 * - A variable of the template for which the lead has no value: the template got it since, or the campaign does not map it.
 */
const onceAgainSeconds: ReadonlyMap<string, number> = new Map([
  ['variables_missing', 10],
  ['21408', 10],
  ['21612', 10],
  ['130497', 10],
  ['131053', 60],
]);

/** Whether an attempt is the first of its lead. */
interface Tried {
  readonly isFirst: boolean;
}

/** In how many seconds an attempt is made again that something held up; undefined when the refusal is about the lead. */
export function heldUpSeconds({ code, details }: BusRejection, { isFirst }: Tried): number | undefined {
  const providerCode = String(details?.provider_code ?? '');
  if (codes.has(code) || isHeldUp(providerCode)) return quarterOfAnHour;
  return isFirst ? (onceAgainSeconds.get(code) ?? onceAgainSeconds.get(providerCode)) : undefined;
}

function isHeldUp(providerCode: string): boolean {
  const [family = ''] = providerCode.split('/');
  return providerCodes.has(providerCode) || providerCodes.has(family) || isForbidden(family);
}

/**
 * The chat platform's codes for too much at once and for its own downtime, of which it did not know when it was asked.
 */
const untimely = new Set(['4', '80007', '130429', '131016', '131057']);
/** Its code for too much at once to one person, who gets a message in six seconds; others need not wait for that. */
const tooManyToOne = '131056';

/**
 * In how many seconds a message that the chat platform took and did not send is sent again; undefined when the code is
 * about whom it was for.
 */
export function unsentSeconds(providerCode: string | null, { isFirst }: Tried): number | undefined {
  if (providerCode === null) return undefined;
  if (providerCode === tooManyToOne) return 10;
  if (untimely.has(providerCode)) return 60;
  if (isHeldUp(providerCode)) return quarterOfAnHour;
  return isFirst ? onceAgainSeconds.get(providerCode) : undefined;
}
