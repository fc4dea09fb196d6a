import type { z } from 'zod';
import type { ServiceName } from '../service-name.ts';

/**
 * What of a payload belongs to people, so that it can be erased with them (ADR 18). A phone number (E.164) that is
 * mentioned in any of these values belongs to whoever has it, too.
 */
export interface PersonalData {
  /** The field with the phone number of the person that the data belongs to; the person of the stream when absent. */
  readonly subject?: string;
  /**
   * In place of `subject` where the payload carries JSON as text: the payload's field with that text, and the field
   * in there with the phone number. Where that is missing, the data is nobody's.
   */
  readonly subjectIn?: readonly [text: string, field: string];
  /** Fields that belong to the person as a whole: unreadable once the person is erased. */
  readonly fields?: readonly string[];
  /** Fields with free text, in which only the phone numbers belong to somebody: to whoever has the number. */
  readonly mentions?: readonly string[];
  /** For fields that hold a list of objects: the same description for each entry of the list. */
  readonly each?: Readonly<Record<string, PersonalData>>;
}

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
  /** What belongs to people that the account is in touch with; nothing when absent. */
  readonly personal?: PersonalData;
  /** Bookkeeping of the service: not in an account's log, nor in its traces. */
  readonly isInternal?: true;
  /** Version 1 up to the one before `version`; absent while there is only one. */
  readonly earlier?: readonly EarlierVersion[];
}

type Json = string | number | boolean | null | readonly Json[] | EventPayload;
export type EventPayload = { readonly [key: string]: Json };

/** A payload as it was written before. What is in the log stays as it is; whoever reads it gets the newest version. */
export interface EarlierVersion {
  readonly data: z.ZodType;
  /** To the next version. Pure JSON to JSON: no clock, no look-ups, nothing but the payload. */
  readonly upcast: (data: EventPayload) => EventPayload;
}

/** `upcast` may trust the shape, which `data` checked when the event was written. */
export const earlierVersion = <D extends z.ZodType>(
  data: D,
  upcast: (data: z.output<D>) => EventPayload,
): EarlierVersion => ({ data, upcast: (written) => upcast(written as z.output<D>) });

export const defineEvent = <D extends z.ZodType, const T extends string>(
  event: EventDefinition<D, T>,
): EventDefinition<D, T> => event;

/** The union of what a stream may hold, from its definitions. */
export type EventOf<D extends EventDefinition> =
  D extends EventDefinition<infer S, infer T> ? { readonly type: T; readonly data: z.output<S> } : never;
