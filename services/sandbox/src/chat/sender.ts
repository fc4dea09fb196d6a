import { createHash } from 'node:crypto';
import type { Executor } from '../database/transaction.ts';
import { contactWaId } from './contact.ts';

export interface Sender {
  readonly phone_number: string;
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly display_name: string;
  readonly quality_rating: string;
  readonly messaging_limit: number | null;
  readonly calling_enabled: boolean;
  readonly online: boolean;
}

const columns = `phone_number, phone_number_id, waba_id, display_name, quality_rating, messaging_limit,
  calling_enabled, online`;

/** The platform's number without the plus sign, as in `wa_id` and `display_phone_number` of webhooks. */
export const waId = (phoneNumber: string): string => phoneNumber.replace(/\D/g, '');

/** The number in the spelling of the platform, whichever spelling is given. */
const spelledByPlatform = (phoneNumber: string): string => `+${contactWaId(phoneNumber)}`;

/**
 * An id of the platform: 15 digits that follow from the key, so that a sender who comes back after a reset keeps
 * its id.
 */
export function platformId(kind: 'phone-number' | 'account' | 'template', key: string): string {
  const digest = createHash('sha256').update(`${kind}:${key}`).digest();
  return `1${(digest.readBigUInt64BE() % 10n ** 14n).toString().padStart(14, '0')}`;
}

/** The password with which a sender's calls authenticate at the platform's SIP server. */
export const sipPassword = (phoneNumber: string): string =>
  createHash('sha256').update(`sip:${phoneNumber}`).digest('base64url').slice(0, 24);

/** Creates or replaces the sender with the same number. */
export async function saveSender(
  db: Executor,
  sender: Omit<Sender, 'phone_number_id' | 'waba_id'>,
  now: Date,
): Promise<Sender> {
  const phoneNumber = spelledByPlatform(sender.phone_number);
  const { rows } = await db.query<Sender>(
    `insert into chat.senders (${columns}, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (phone_number) do update set display_name = excluded.display_name,
       quality_rating = excluded.quality_rating, messaging_limit = excluded.messaging_limit,
       calling_enabled = excluded.calling_enabled, online = excluded.online
     returning ${columns}`,
    [
      phoneNumber,
      platformId('phone-number', phoneNumber),
      platformId('account', phoneNumber),
      sender.display_name,
      sender.quality_rating,
      sender.messaging_limit,
      sender.calling_enabled,
      sender.online,
      now,
    ],
  );
  const [saved] = rows;
  if (!saved) throw new Error('The sender was not saved.');
  return saved;
}

export type SenderKey = 'phone_number' | 'phone_number_id' | 'waba_id';

export async function findSender(db: Executor, key: SenderKey, value: string): Promise<Sender | null> {
  const { rows } = await db.query<Sender>({
    name: `find-sender-by-${key}`,
    text: `select ${columns} from chat.senders where ${key} = $1`,
    values: [key === 'phone_number' ? spelledByPlatform(value) : value],
  });
  return rows[0] ?? null;
}

/** In the order they were made. */
export async function listSenders(db: Executor): Promise<readonly Sender[]> {
  const { rows } = await db.query<Sender>(
    `select ${columns} from chat.senders order by created_at, phone_number`,
  );
  return rows;
}
