import type { BusRejection } from '@parley/message-bus';

const quarterOfAnHour = 15 * 60;

/** What stands against the whole campaign and not against one lead, and passes by itself or by what the account does. */
const codes = new Set([
  'insufficient_balance',
  'messaging_limit_reached',
  'sender_not_found',
  'sender_offline',
  'template_not_approved',
  'template_not_found',
]);

/**
 * So do these, by the provider's code or its first part. Of the chat platform: the sender or its account is blocked, unpaid,
 * not registered, deleted, without a name that is approved, or not ours to send from; the template is paused, disabled,
 * gone, for test numbers only, or has other gaps by now, and not known to be so yet. Of the carrier: our account is not
 * active; the number that sends is not ours, is being ported, or can send no SMS.
 */
const providerCodes = new Set([
  ...['3', '10', '33', '100/33', '368', '131005', '131031', '131037', '131042', '131045', '131048', '133010'],
  ...['131058', '132000', '132001', '132007', '132015', '132016'],
  ...['10001', '20005', '20403', '21212', '21601', '21606', '21659', '21660', '21661', '21663'],
]);
/** A range that the chat platform keeps for what our token may not do. */
const isForbidden = (code: string): boolean => /^2\d\d$/.test(code);

/** How soon it is asked about again, in seconds; undefined when the refusal is about the lead. */
export const heldUpSeconds = ({ code, details }: BusRejection): number | undefined =>
  codes.has(code) || isHeldUp(String(details?.provider_code ?? '')) ? quarterOfAnHour : undefined;

function isHeldUp(providerCode: string): boolean {
  const [family = ''] = providerCode.split('/');
  return providerCodes.has(providerCode) || providerCodes.has(family) || isForbidden(family);
}

/** What the chat platform says of too much at once and of its own downtime, which it did not know of when it was asked. */
const untimely = new Set(['4', '80007', '130429', '131016', '131056', '131057']);

/**
 * How soon what the chat platform took and did not send is asked for again, in seconds; undefined when it is about whom it
 * was for.
 */
export function unsentSeconds(providerCode: string | null): number | undefined {
  if (providerCode === null) return undefined;
  if (untimely.has(providerCode)) return 60;
  return isHeldUp(providerCode) ? quarterOfAnHour : undefined;
}
