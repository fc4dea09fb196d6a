import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { fieldErrors, reject } from '@parley/contracts';
import type { z } from 'zod';
import { RejectionError } from './replies.ts';

/** Validates the payload once more: whoever reaches the bus gets the same answer as through the gateway. */
@Injectable()
export class PayloadPipe implements PipeTransform {
  readonly #schema: z.ZodType;

  constructor(schema: z.ZodType) {
    this.#schema = schema;
  }

  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type !== 'body') return value;
    const parsed = this.#schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new RejectionError(reject('invalid', { fields: fieldErrors(parsed.error, value) }));
  }
}
