import type { z } from 'zod';
import type { ServiceName } from '../service-name.ts';

/** A command or query between services: no HTTP route, same wire, same validation. */
export interface InternalMessage<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly kind: 'command' | 'query';
  readonly service: ServiceName;
  readonly input: I;
  readonly output: O;
}

export const defineInternal = <I extends z.ZodType, O extends z.ZodType>(
  message: InternalMessage<I, O>,
): InternalMessage<I, O> => message;
