import { expect, test } from 'vitest';
import { z } from 'zod';
import { events, publicEvents } from '../index.ts';
import { defineEvent } from './event.ts';
import { publicEventsOf } from './public-events.ts';

const made = { service: 'accounts', category: 'thing', version: 1, summary: '' } as const;
const Shown = defineEvent({
  ...made,
  type: 'Shown',
  secrets: ['code'],
  data: z.object({ id: z.int(), code: z.string() }),
});
const Kept = defineEvent({ ...made, type: 'Kept', isInternal: true, data: z.object({}) });
const shown = publicEventsOf([Shown, Kept]);

test('internal events are not public, and secrets are in no payload and in no field', () => {
  expect(shown.typesOf('accounts')).toEqual(['Shown']);
  expect([shown.isPublic('Shown'), shown.isPublic('Kept'), shown.isPublic('Unheard')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(shown.dataOf({ type: 'Shown', data: { id: 1, code: 'x' } })).toEqual({ id: 1 });
  expect(shown.fieldsOf({ id: 1, code: 'x' })).toEqual({ id: 1 });
});

test('a payload field whose name says that it is a secret is declared as one', () => {
  const names = /(^|_)(token|password|secret)(_hash|_sha256)?$/;
  for (const { type, data } of events) {
    const fields = data instanceof z.ZodObject ? Object.keys(data.shape) : [];
    const example = Object.fromEntries(fields.map((field) => [field, 'x']));
    expect(
      Object.keys(publicEvents.dataOf({ type, data: example })).filter((name) => names.test(name)),
    ).toEqual([]);
  }
});
