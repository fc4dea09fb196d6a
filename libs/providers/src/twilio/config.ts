import { sandboxOnly, secret } from '@parley/process-kit';
import { z } from 'zod';
import { byNumberKind } from '../by-number-kind.ts';
import type { NumberOwner } from './client.ts';

/** An approved bundle, an address, or both: `BU…+AD…`. */
function readOwner(sids: string): NumberOwner | undefined {
  const [, bundleSid, addressSid] = /^(?:(BU[0-9a-f]{32})(?:\+(?=AD)|$))?(AD[0-9a-f]{32})?$/.exec(sids) ?? [];
  if (bundleSid === undefined && addressSid === undefined) return undefined;
  return { ...(bundleSid !== undefined && { bundleSid }), ...(addressSid !== undefined && { addressSid }) };
}

/** Environment keys of a process that talks to Twilio; the defaults are those of the sandbox on this machine. */
export const twilioConfig = z.object({
  /** `https://api.twilio.com` in production; the sandbox when absent. */
  TWILIO_BASE_URL: sandboxOnly(z.url({ protocol: /^https?$/ }).optional()),
  TWILIO_ACCOUNT_SID: sandboxOnly(
    z
      .string()
      .regex(/^AC[0-9a-f]{32}$/)
      .default('AC00000000000000000000000000000000'),
  ),
  TWILIO_AUTH_TOKEN: sandboxOnly(secret('sandbox-twilio-token')),
  /** The Elastic SIP Trunk that brings calls of bought numbers to the voice platform; without it nobody can call them. */
  TWILIO_TRUNK_SID: sandboxOnly(
    z
      .string()
      .regex(/^TK[0-9a-f]{32}$/)
      .optional(),
  ),
  /**
   * Whose the numbers are that the law of their country sells only to somebody it knows: the bundle that Twilio has
   * approved, the address, or both, by country or by country and type (`DE=BU…+AD…,DE mobile=BU…`).
   */
  TWILIO_NUMBER_OWNERS: byNumberKind(readOwner, 'one owner such as DE=BU…+AD… or GB mobile=BU…').optional(),
});
