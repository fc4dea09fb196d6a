import type pg from 'pg';
import type { ProviderAnswer, ProviderRequest } from '../provider/provider.ts';
import type { Tell } from '../world.ts';
import { stripeEvent } from './event.ts';
import { idempotencyKey } from './idempotency.ts';

/** One call of the Stripe API, inside the transaction of its effect. */
export interface Call {
  readonly db: pg.PoolClient;
  readonly request: ProviderRequest;
  readonly id: string;
  /** Unix seconds on the platform's clock. */
  readonly now: number;
  /** Queues a webhook about `object`. */
  readonly emit: (type: string, object: object) => Promise<void>;
}

export type Handler = (call: Call) => Promise<ProviderAnswer>;

export const callOf = (db: pg.PoolClient, tell: Tell, request: ProviderRequest, at: Date): Call => {
  const now = Math.floor(at.getTime() / 1000);
  return {
    db,
    request,
    id: request.params.id ?? '',
    now,
    emit: (type, object) => tell(stripeEvent(type, object, now, idempotencyKey(request))),
  };
};

export const ok = (body: unknown): ProviderAnswer => ({ status: 200, body });

/** A whole list: nothing here grows beyond one page. */
export const listOf = (url: string, data: readonly unknown[]): ProviderAnswer =>
  ok({ object: 'list', url, has_more: false, data });
