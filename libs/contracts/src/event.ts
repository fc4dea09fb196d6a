import type { z } from 'zod';
import type { ServiceName } from './service-name.ts';

/**
 * An event type and one version of its payload. A payload never changes once written: new meaning is a new type or
 * a higher `version` with an upcaster, and a golden file for each stays in `libs/contracts/golden/`.
 */
export interface EventDefinition<D extends z.ZodType = z.ZodType, T extends string = string> {
  readonly type: T;
  readonly version: number;
  readonly service: ServiceName;
  /** The stream's category: streams are named `<category>-<id>`. */
  readonly category: string;
  /** One sentence for the AsyncAPI document and for `parley audit`. */
  readonly summary: string;
  readonly data: D;
  /** Fields of `data` that nobody outside is ever shown. */
  readonly secrets?: readonly string[];
  /** Bookkeeping of the service: not in an account's log, nor in its traces. */
  readonly isInternal?: true;
}

export const defineEvent = <D extends z.ZodType, const T extends string>(
  event: EventDefinition<D, T>,
): EventDefinition<D, T> => event;

/** The union of what a stream may hold, from its definitions. */
export type EventOf<D extends EventDefinition> =
  D extends EventDefinition<infer S, infer T> ? { readonly type: T; readonly data: z.output<S> } : never;
