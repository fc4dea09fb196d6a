import {
  actorForms,
  events,
  isActor,
  isEventName,
  isStreamName,
  type Micros,
  parseMicros,
  wholePerson,
} from '@parley/contracts';
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { type Moment, parseMoment } from './moment.ts';

export function moment(text: string): Moment {
  const parsed = parseMoment(text);
  if (!parsed) throw new InvalidArgumentError('Give v:<version>, p:<position>, now or a time.');
  return parsed;
}

export function instant(text: string): string {
  const parsed = parseMoment(text);
  if (!parsed || !('time' in parsed))
    throw new InvalidArgumentError('Give a time such as 2026-11-21T09:30:00Z.');
  return parsed.time;
}

export function streamName(text: string): string {
  if (!isStreamName(text))
    throw new InvalidArgumentError('There are no such streams; give one such as folder-12.');
  return text;
}

export function eventTypes(text: string, others: readonly string[] = []): readonly string[] {
  if (!isEventName(text))
    throw new InvalidArgumentError(
      isStreamName(text) ? 'A stream comes before the options.' : noSuchEvents(text),
    );
  return [...others, text];
}

function noSuchEvents(text: string): string {
  const names = events
    .map(({ type }) => type)
    .filter((type) => type.toLowerCase().includes(text.toLowerCase()));
  return names.length === 0
    ? 'There are no such events; /asyncapi.json of the gateway has all there are.'
    : `There are no such events. With that in their name: ${names.join(', ')}.`;
}

export function actor(text: string): string {
  if (!isActor(text)) throw new InvalidArgumentError(`Give ${actorForms}.`);
  return text;
}

export function naturalNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

export function person(text: string): string {
  if (!wholePerson.test(text))
    throw new InvalidArgumentError(
      'Give a number such as +491701234567, or an id such as US.13491208655302741918.',
    );
  return text;
}

export function positiveInteger(text: string): number {
  const number = naturalNumber(text);
  if (number === 0) throw new InvalidArgumentError('Give a number above 0.');
  return number;
}

/** A decimal amount above 0, in micros. */
export function amount(text: string): Micros {
  const micros = parseMicros(text);
  if (micros === null || micros <= 0) throw new InvalidArgumentError('Give an amount such as 12.50.');
  return micros;
}

/** A parser of an option that the schema of a message checks; throws with the words of the schema. */
export const textFor =
  (schema: z.ZodType<string>) =>
  (text: string): string => {
    const { data, error } = schema.safeParse(text);
    if (data !== undefined) return data;
    const message = error?.issues[0]?.message ?? 'Not possible.';
    throw new InvalidArgumentError(message.replace('The :attribute field', 'It'));
  };
