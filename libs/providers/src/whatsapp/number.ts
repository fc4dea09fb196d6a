import { Secret } from '@parley/process-kit';
import { z } from 'zod';
import type { ChatNumber, SipAccount } from '../chat-platform.ts';

/** The fields that are read of a phone number. Its messaging limit is that of the business portfolio, from v24.0 on. */
export const numberFields =
  'id,display_phone_number,verified_name,quality_rating,whatsapp_business_manager_messaging_limit,status';

export const numberNode = z.object({
  id: z.string(),
  display_phone_number: z.string(),
  verified_name: z.string().nullish(),
  quality_rating: z.string().nullish(),
  whatsapp_business_manager_messaging_limit: z.string().nullish(),
  status: z.string().nullish(),
});

export const settingsNode = z.object({ calling: z.object({ status: z.string() }).nullish() });

/** The settings of a number with the SIP credentials of our app. */
export const sipSettingsNode = z.object({
  calling: z
    .object({
      sip: z
        .object({
          status: z.string(),
          servers: z.array(z.object({ sip_user_password: z.string().optional() })).default([]),
        })
        .nullish(),
    })
    .nullish(),
});

/** `null` when calling by SIP is not enabled. Only our app's server is listed with a password. */
export function toSipAccount(
  phoneNumber: string,
  { calling }: z.output<typeof sipSettingsNode>,
): SipAccount | null {
  const sip = calling?.sip;
  const password = sip?.servers.find(({ sip_user_password }) => sip_user_password)?.sip_user_password;
  if (sip?.status !== 'ENABLED' || password === undefined) return null;
  return { username: phoneNumber.replace('+', ''), password: new Secret(password) };
}

/**
 * The states in which a number can send; in all others (pending, banned, …) the platform refuses. `RESTRICTED` and
 * `RATE_LIMITED`: it has written to as many people as it may in 24 hours, and can still answer who writes to it.
 */
const sendingStates: ReadonlySet<string | null | undefined> = new Set([
  'CONNECTED',
  'FLAGGED',
  'RESTRICTED',
  'RATE_LIMITED',
]);

/** The number that Graph's answers describe. */
export const toChatNumber = (
  accountId: string,
  node: z.output<typeof numberNode>,
  settings: z.output<typeof settingsNode>,
): ChatNumber => ({
  phoneNumberId: node.id,
  accountId,
  phoneNumber: toE164(node.display_phone_number),
  displayName: node.verified_name ?? '',
  isOnline: sendingStates.has(node.status),
  qualityRating: readRating(node.quality_rating),
  messagingLimit: readTier(node.whatsapp_business_manager_messaging_limit),
  isCallingEnabled: settings.calling?.status === 'ENABLED',
});

/** E.164 from a number as the platform shows it (`+1 415-555-2671`), or without its plus. */
export const toE164 = (displayed: string): string => `+${displayed.replaceAll(/\D/g, '')}`;

const ratings = ['GREEN', 'YELLOW', 'RED'] as const;
const readRating = (rating: string | null | undefined): ChatNumber['qualityRating'] =>
  ratings.find((known) => known === rating) ?? null;

/** The limit of a number that the platform has not graded yet. */
const ungradedLimit = 250;

/** The limit in `TIER_250`, `TIER_2K`, …; `null` for `TIER_UNLIMITED`, the ungraded limit for anything else. */
function readTier(tier: string | null | undefined): number | null {
  if (tier === 'TIER_UNLIMITED') return null;
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(tier ?? '') ?? [];
  const limit = Number(digits) * (thousands ? 1_000 : 1);
  return Number.isSafeInteger(limit) ? limit : ungradedLimit;
}
