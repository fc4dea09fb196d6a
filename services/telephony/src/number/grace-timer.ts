import type { TimerRequest } from '@parley/event-store';
import { z } from 'zod';

export const graceKind = 'number-grace';
export const graceTimerId = (id: number): string => `${graceKind}-${id}`;

const payloadSchema = z.object({ number_id: z.int(), account_id: z.int(), correlation_id: z.string() });
export type GracePayload = z.output<typeof payloadSchema>;
export const graceOf = (payload: unknown): GracePayload => payloadSchema.parse(payload);

/** A number whose renewal failed is kept until then. */
export const graceTimer = (payload: GracePayload, at: string): TimerRequest => ({
  id: graceTimerId(payload.number_id),
  kind: graceKind,
  due: { at },
  payload: { ...payload },
});
