import { NumberPurchased } from '@parley/contracts';
import type { Aggregates, TimerRequest } from '@parley/event-store';
import type { StandingTimers } from '@parley/service-kit';
import { z } from 'zod';
import { phoneNumber } from '../number.ts';

export const graceKind = 'number-grace';
export const graceTimerId = (id: number): string => `${graceKind}-${id}`;

const payloadSchema = z.object({ number_id: z.int(), account_id: z.int(), correlation_id: z.string() });
export type GracePayload = z.output<typeof payloadSchema>;
export const graceOf = (payload: unknown): GracePayload => payloadSchema.parse(payload);

/** Timer for the end of a number's grace period (ISO 8601). */
export const graceTimer = (payload: GracePayload, at: string): TimerRequest => ({
  id: graceTimerId(payload.number_id),
  kind: graceKind,
  due: { at },
  payload: { ...payload },
});

/** A timer for each number whose renewal is owed. */
export const graceTimers = (aggregates: Aggregates): StandingTimers => ({
  types: [NumberPurchased.type],
  async of({ accountId, metadata: { correlationId }, streamId }) {
    const { state } = await aggregates.load(streamId, phoneNumber);
    if (state?.phase !== 'owned' || !state.unpaid || accountId === null) return [];
    const about = { number_id: state.id, account_id: accountId, correlation_id: correlationId };
    return [graceTimer(about, state.unpaid.graceEndsAt)];
  },
});
