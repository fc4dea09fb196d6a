import type { ErrorShape } from '@parley/contracts';
import { z } from 'zod';

/** The bodies that `error-shapes.ts` builds, for the OpenAPI document; a test holds the two together. */
export const errorSchemas = {
  Unauthorized: z.object({ error: z.literal('Unauthorized') }),
  MessageError: z.object({ message: z.string(), details: z.record(z.string(), z.json()).optional() }),
  PlainError: z.object({ error: z.string() }),
  ValidationError: z.object({
    message: z.string(),
    errors: z.record(z.string(), z.array(z.string())).meta({
      description:
        'What is wrong with which field; a field of an array is `secondary_contacts.0.phone_number`.',
    }),
  }),
  IdempotencyError: z.object({
    message: z.string(),
    error: z.enum(['idempotency_key_reuse', 'idempotency_key_expired', 'idempotency_in_progress']),
  }),
  ChatAppError: z.object({
    success: z.literal(false),
    error: z.string(),
    error_code: z.string(),
    details: z.record(z.string(), z.json()).optional(),
  }),
  ChatAppValidationError: z.object({
    success: z.literal(false),
    error: z.string(),
    error_code: z.literal('VALIDATION_FAILED'),
    errors: z.record(z.string(), z.array(z.string())),
  }),
  ChatAppRateLimitError: z.object({
    success: z.literal(false),
    message: z.string(),
    retry_after: z.int().meta({ description: 'Seconds.' }),
  }),
  CodedError: z.object({
    message: z.string(),
    error: z.string(),
    errors: z.record(z.string(), z.array(z.string())).optional(),
    details: z.record(z.string(), z.json()).optional(),
  }),
  ConversationError: z.object({ status: z.literal(false), error: z.string() }),
  RateLimitError: z.object({ message: z.string(), retry_after: z.int().meta({ description: 'Seconds.' }) }),
} as const;

export type ErrorSchemaName = keyof typeof errorSchemas;

/** What an operation of a shape answers: `own` for everything that has no body of its own. */
export interface ShapeSchemas {
  readonly own: ErrorSchemaName;
  readonly invalid: ErrorSchemaName;
  readonly idempotency: ErrorSchemaName;
  readonly rateLimit: ErrorSchemaName;
}

const common = {
  invalid: 'ValidationError',
  idempotency: 'IdempotencyError',
  rateLimit: 'RateLimitError',
} as const;

export const schemasOfShape: Readonly<Record<ErrorShape, ShapeSchemas>> = {
  message: { own: 'MessageError', ...common },
  error: { own: 'PlainError', ...common },
  conversation: { own: 'ConversationError', ...common },
  coded: {
    own: 'CodedError',
    invalid: 'CodedError',
    idempotency: 'CodedError',
    rateLimit: 'RateLimitError',
  },
  chatapp: {
    own: 'ChatAppError',
    invalid: 'ChatAppValidationError',
    idempotency: 'ChatAppError',
    rateLimit: 'ChatAppRateLimitError',
  },
};
