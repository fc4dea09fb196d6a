import { randomBytes } from 'node:crypto';
import type { Executor } from '../database/transaction.ts';
import type { NumberType } from './stock.ts';

export interface BoughtNumber {
  readonly sid: string;
  readonly phone_number: string;
  readonly friendly_name: string;
  readonly country_code: string;
  readonly type: NumberType;
  readonly sms_capable: boolean;
  readonly voice_url: string;
  readonly sms_url: string;
  readonly address_sid: string | null;
  readonly bundle_sid: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const columns = `sid, phone_number, friendly_name, country_code, type, sms_capable, voice_url, sms_url,
  address_sid, bundle_sid, created_at, updated_at`;

export type NewNumber = Omit<BoughtNumber, 'sid' | 'created_at' | 'updated_at'>;

/** Buys a number; null when it is sold already. Of several buyers at once, one gets it. */
export async function buyNumber(db: Executor, number: NewNumber, now: Date): Promise<BoughtNumber | null> {
  const { rows } = await db.query<BoughtNumber>(
    `insert into carrier.numbers (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
     on conflict (phone_number) do nothing returning ${columns}`,
    [
      `PN${randomBytes(16).toString('hex')}`,
      number.phone_number,
      number.friendly_name,
      number.country_code,
      number.type,
      number.sms_capable,
      number.voice_url,
      number.sms_url,
      number.address_sid,
      number.bundle_sid,
      now,
    ],
  );
  return rows[0] ?? null;
}

export async function findNumber(db: Executor, sid: string): Promise<BoughtNumber | null> {
  const { rows } = await db.query<BoughtNumber>(`select ${columns} from carrier.numbers where sid = $1`, [
    sid,
  ]);
  return rows[0] ?? null;
}

/** Oldest first; `%` in `phoneNumber` stands for any digits. */
export async function listNumbers(
  db: Executor,
  filter: { readonly phoneNumber: string | null; readonly friendlyName: string | null },
): Promise<readonly BoughtNumber[]> {
  const { rows } = await db.query<BoughtNumber>(
    `select ${columns} from carrier.numbers
     where ($1::text is null or phone_number like $1) and ($2::text is null or friendly_name = $2)
     order by created_at, sid`,
    [filter.phoneNumber, filter.friendlyName],
  );
  return rows;
}

export async function soldNumbers(db: Executor): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ phone_number: string }>('select phone_number from carrier.numbers');
  return new Set(rows.map(({ phone_number }) => phone_number));
}

export async function changeNumber(
  db: Executor,
  sid: string,
  changes: Partial<Pick<BoughtNumber, 'friendly_name' | 'voice_url' | 'sms_url'>>,
  now: Date,
): Promise<BoughtNumber | null> {
  const { rows } = await db.query<BoughtNumber>(
    `update carrier.numbers set friendly_name = coalesce($2, friendly_name), voice_url = coalesce($3, voice_url),
       sms_url = coalesce($4, sms_url), updated_at = $5 where sid = $1 returning ${columns}`,
    [sid, changes.friendly_name, changes.voice_url, changes.sms_url, now],
  );
  return rows[0] ?? null;
}

export async function releaseNumber(db: Executor, sid: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from carrier.numbers where sid = $1', [sid]);
  return rowCount === 1;
}
