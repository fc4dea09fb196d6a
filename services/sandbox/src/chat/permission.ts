import type { Executor } from '../database/transaction.ts';

const daySeconds = 86_400;
export const temporaryGrantSeconds = 7 * daySeconds;

/** The platform's own limits, shown to whoever asks; enforcing them is the caller's duty. */
const askLimits = [
  { time_period: 'PT24H', max_allowed: 1, seconds: daySeconds },
  { time_period: 'P7D', max_allowed: 2, seconds: 7 * daySeconds },
] as const;

export interface Permission {
  readonly status: 'no_permission' | 'temporary' | 'permanent';
  readonly expires_at: Date | null;
}

/** Stores the customer's decision about calls from this sender; a later one replaces it. */
export async function savePermission(
  db: Executor,
  phoneNumberId: string,
  contact: string,
  permission: Permission,
): Promise<void> {
  await db.query(
    `insert into chat.permissions (phone_number_id, wa_id, status, expires_at) values ($1, $2, $3, $4)
     on conflict (phone_number_id, wa_id) do update set status = excluded.status, expires_at = excluded.expires_at`,
    [phoneNumberId, contact, permission.status, permission.expires_at],
  );
}

/**
 * Stores when the two were last connected by a call, in either direction; after that the limits for asks start
 * anew.
 */
export async function saveConnectedCall(
  db: Executor,
  phoneNumberId: string,
  contact: string,
  at: Date,
): Promise<void> {
  await db.query(
    `insert into chat.permissions (phone_number_id, wa_id, status, last_connected_at)
     values ($1, $2, 'no_permission', $3)
     on conflict (phone_number_id, wa_id) do update set last_connected_at = excluded.last_connected_at`,
    [phoneNumberId, contact, at],
  );
}

export interface PermissionState extends Permission {
  /** Requests that count against the limits, oldest first. */
  readonly askedAt: readonly Date[];
}

export async function readPermission(
  db: Executor,
  phoneNumberId: string,
  contact: string,
): Promise<PermissionState> {
  const { rows } = await db.query<PermissionState>(
    `select coalesce(p.status, 'no_permission') as status, p.expires_at,
       array(select m.created_at from chat.messages m
         where m.phone_number_id = $1 and m.wa_id = $2 and m.is_permission_request
           and m.created_at > coalesce(p.last_connected_at, '-infinity')
         order by m.created_at) as "askedAt"
     from (select 1) one left join chat.permissions p on p.phone_number_id = $1 and p.wa_id = $2`,
    [phoneNumberId, contact],
  );
  return rows[0] ?? { status: 'no_permission', expires_at: null, askedAt: [] };
}

/** Graph's answer to `call_permissions`: what holds at `now`. */
export function describePermission(state: PermissionState, now: Date) {
  const isExpired = state.expires_at !== null && state.expires_at <= now;
  const status = isExpired ? 'no_permission' : state.status;
  const limits = askLimits.map(({ time_period, max_allowed, seconds }) => {
    const counted = state.askedAt.filter((at) => at.getTime() > now.getTime() - seconds * 1000);
    const freeing = counted[counted.length - max_allowed];
    return {
      time_period,
      max_allowed,
      current_usage: counted.length,
      ...(freeing ? { limit_expiration_time: epochSeconds(freeing) + seconds } : {}),
    };
  });
  return {
    messaging_product: 'whatsapp',
    permission: {
      status,
      ...(status === 'temporary' && state.expires_at
        ? { expiration_time: epochSeconds(state.expires_at) }
        : {}),
    },
    actions: [
      {
        action_name: 'send_call_permission_request',
        can_perform_action: limits.every((limit) => limit.current_usage < limit.max_allowed),
        limits,
      },
      { action_name: 'start_call', can_perform_action: status !== 'no_permission', limits: [] },
    ],
  };
}

export const epochSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);
