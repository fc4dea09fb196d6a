import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { ProviderAnswer, ProviderRequest } from '../provider/provider.ts';
import { stripeError } from './stripe-error.ts';

const keptMs = 24 * 60 * 60 * 1000;

export const idempotencyKey = ({ headers }: ProviderRequest): string | null => {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
};

interface Stored {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

/**
 * Runs `work` once per key, as Stripe does: the first answer again for the same parameters, an error for other ones
 * and while the first still runs. The answer is stored in the transaction of its effect, so a crash leaves neither.
 */
export async function once(
  db: pg.PoolClient,
  request: ProviderRequest,
  now: Date,
  work: () => Promise<ProviderAnswer>,
): Promise<ProviderAnswer> {
  const key = idempotencyKey(request);
  if (key === null) return work();
  const { rows: locks } = await db.query<{ free: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free',
    [key],
  );
  if (!locks[0]?.free)
    return stripeError(409, {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this idempotency key: ${key}.`,
    });
  await db.query('delete from payments.idempotency where key = $1 and created_at < $2', [
    key,
    new Date(now.getTime() - keptMs),
  ]);
  const { rows } = await db.query<Stored>(
    'select fingerprint, status, body from payments.idempotency where key = $1',
    [key],
  );
  const [stored] = rows;
  const fingerprint = fingerprintOf(request);
  if (stored) return stored.fingerprint === fingerprint ? replay(stored) : reuse(key);
  const answer = await work();
  if (isKept(answer))
    await db.query(
      'insert into payments.idempotency (key, fingerprint, status, body, created_at) values ($1, $2, $3, $4, $5)',
      [key, fingerprint, answer.status, JSON.stringify(answer.body), now],
    );
  return answer;
}

/** Requests that failed validation may be corrected and sent again with their key. */
const isKept = ({ status }: ProviderAnswer): boolean => status < 300 || status === 402;

const replay = ({ status, body }: Stored): ProviderAnswer => ({
  status,
  headers: { 'idempotent-replayed': 'true' },
  body: JSON.parse(body),
});

const reuse = (key: string): ProviderAnswer =>
  stripeError(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  });

const fingerprintOf = ({ method, url, body }: ProviderRequest): string =>
  createHash('sha256')
    .update(`${method} ${url} ${JSON.stringify(body ?? {})}`)
    .digest('hex');
