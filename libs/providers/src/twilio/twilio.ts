import { z } from 'zod';
import { closestTo, type NumberKind } from '../by-number-kind.ts';
import type { Carrier, NumberSearch, OfferedNumber } from '../carrier.ts';
import { ok, type ProviderResult } from '../provider-result.ts';
import { createTurns, type InTurn } from '../turns.ts';
import {
  asked,
  createTwilioClient,
  garbled,
  type NumberOwner,
  type TwilioClient,
  type TwilioOptions,
} from './client.ts';

const offered = z.object({
  phoneNumber: z.string().startsWith('+'),
  isoCountry: z.string(),
  addressRequirements: z.string().nullish(),
  // The SDK passes on the names in Twilio's answer, which are upper-case at times (`SMS`).
  capabilities: z.record(z.string(), z.unknown()).nullish(),
});
const accepted = z.object({ sid: z.string().min(1) });
const incoming = z.object({ sid: z.string().min(1), phoneNumber: z.string().startsWith('+') });

/**
 * Codes for a number that is not available, or that needs an address, a local address, or documents of the owner, or for
 * an address that is not the bundle's.
 */
const unavailableCodes = new Set(['21422', '21613', '21615', '21631', '21649', '21650', '21651']);
const notFound = '20404';
/** Seconds for which Twilio queues an SMS: its greatest `ValidityPeriod`. */
const longestValidity = 36_000;

/**
 * Of the twenty connections that the SDK opens, those for searches, which cost nobody anything and are asked for without
 * end, and those for everything else.
 */
const connections = { searches: 8, others: 12 };
/** Everything about numbers but searches takes turns as if it were of one number. */
const numbers = 'numbers';

/** Phone numbers from Twilio and SMS by it, through its official SDK. */
export function createTwilioCarrier(options: TwilioOptions): Carrier {
  const client = createTwilioClient(options);
  const turnsOf = (max: number): InTurn =>
    createTurns({ max, maxPerKey: max / 2, timeoutMs: options.turnTimeoutMs ?? 2_000 });
  const searching = turnsOf(connections.searches);
  const inTurn = turnsOf(connections.others);
  const ask: InTurn = (key, work) => inTurn(key, () => asked(work));
  const calls = options.trunkSid === undefined ? {} : { trunkSid: options.trunkSid };
  const ownerOf = (number: NumberKind): NumberOwner | undefined =>
    options.owners && closestTo(options.owners, number);
  return {
    search(wanted) {
      // A bundle does not stand for an address: without one Twilio sells no number that needs it.
      const hasAddress = ownerOf(wanted)?.addressSid !== undefined;
      return searching(String(wanted.accountId), () => search(client, wanted, hasAddress));
    },
    async provision(number, reference) {
      const bought = await ask(numbers, async () => {
        const { incomingPhoneNumbers } = await client();
        const { data } = incoming.safeParse(
          await incomingPhoneNumbers.create({
            phoneNumber: number.phoneNumber,
            friendlyName: reference,
            ...calls,
            ...ownerOf(number),
          }),
        );
        return data ? ok(data) : garbled;
      });
      return bought.kind === 'rejected' && unavailableCodes.has(bought.code ?? '')
        ? { ...bought, code: 'not_available' }
        : bought;
    },
    findByReference: (reference) =>
      ask(numbers, async () => {
        const { incomingPhoneNumbers } = await client();
        const [first] = await incomingPhoneNumbers.list({ friendlyName: reference, limit: 1 });
        if (!first) return ok(null);
        const { data } = incoming.safeParse(first);
        return data ? ok(data) : garbled;
      }),
    async release(sid) {
      const released = await ask(numbers, async () => {
        const { incomingPhoneNumbers } = await client();
        await incomingPhoneNumbers(sid).remove();
        return ok(null);
      });
      return isGone(released) ? ok(null) : released;
    },
    sendSms: ({ from, to, body, statusUrl: statusCallback, validForSeconds }) =>
      ask(from, async () => {
        const { messages } = await client();
        const validity =
          validForSeconds === null ? {} : { validityPeriod: Math.min(validForSeconds, longestValidity) };
        const sent = await messages.create({ from, to, body, statusCallback, ...validity });
        const { data } = accepted.safeParse(sent);
        return data ? ok(data) : garbled;
      }),
  };
}

/** Twilio cannot search for a single digit: then four times as many numbers are fetched, and filtered here. */
const shortestPattern = 2;
const candidatesPerNumber = 4;

const isGone = (result: ProviderResult<unknown>): boolean =>
  result.kind === 'rejected' && result.code === notFound;

async function search(
  client: TwilioClient,
  { country, type, contains, limit }: NumberSearch,
  hasAddress: boolean,
): Promise<ProviderResult<readonly OfferedNumber[]>> {
  const isPattern = contains.length >= shortestPattern;
  const count = isPattern || contains === '' ? limit : limit * candidatesPerNumber;
  const found = await asked(async () => {
    const { availablePhoneNumbers } = await client();
    const { local, mobile, tollFree } = availablePhoneNumbers(country);
    const wanted = {
      limit: count,
      pageSize: count,
      excludeAllAddressRequired: !hasAddress,
      ...(isPattern && { contains }),
    };
    const lists = {
      local: () => local.list(wanted),
      mobile: () => mobile.list(wanted),
      toll_free: () => tollFree.list(wanted),
    };
    const parsed = z.array(offered).safeParse(await lists[type]());
    if (!parsed.success) return garbled;
    const matching = parsed.data.filter(({ phoneNumber }) => isPattern || phoneNumber.includes(contains));
    return ok(matching.slice(0, limit).map((number) => toOffer(number, type)));
  });
  return isGone(found) ? ok([]) : found;
}

const toOffer = (
  { phoneNumber, isoCountry, addressRequirements, capabilities }: z.output<typeof offered>,
  type: OfferedNumber['type'],
): OfferedNumber => ({
  phoneNumber,
  country: isoCountry,
  type,
  smsCapable: Boolean(capabilities?.sms ?? capabilities?.SMS),
  voiceCapable: Boolean(capabilities?.voice),
  addressRequirements: addressRequirements ?? 'none',
});
