import { Secret } from '@parley/process-kit';
import { z } from 'zod';
import type { ChatNumber, SipAccount } from '../chat-platform.ts';

/** What is asked of a phone number node. Its limit is that of the business portfolio, as Graph has it from v24.0 on. */
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

/** The settings when they are asked for with what our app's SIP server is to authenticate by. */
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

/** The password is of number and app: servers of other apps are listed without one. */
export function toSipAccount(
  phoneNumber: string,
  { calling }: z.output<typeof sipSettingsNode>,
): SipAccount | null {
  const sip = calling?.sip;
  const password = sip?.servers.find(({ sip_user_password }) => sip_user_password)?.sip_user_password;
  if (sip?.status !== 'ENABLED' || password === undefined) return null;
  return { username: phoneNumber.replace('+', ''), password: new Secret(password) };
}

/** In these states a number sends; in all others (pending, restricted, banned, …) the platform refuses. */
const sendingStates: ReadonlySet<string | null | undefined> = new Set(['CONNECTED', 'FLAGGED']);

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

/** The platform writes numbers for people (`+1 415-555-2671`) or without the plus sign. */
export const toE164 = (displayed: string): string => `+${displayed.replaceAll(/\D/g, '')}`;

const ratings = ['GREEN', 'YELLOW', 'RED'] as const;
const readRating = (rating: string | null | undefined): ChatNumber['qualityRating'] =>
  ratings.find((known) => known === rating) ?? null;

/** What the platform grants a number that it has not graded yet. */
const ungradedLimit = 250;

/** `TIER_250`, `TIER_2K`, `TIER_UNLIMITED`, … */
function readTier(tier: string | null | undefined): number | null {
  if (tier === 'TIER_UNLIMITED') return null;
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(tier ?? '') ?? [];
  const limit = Number(digits) * (thousands ? 1_000 : 1);
  return Number.isSafeInteger(limit) ? limit : ungradedLimit;
}
