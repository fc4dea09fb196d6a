import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fieldErrors } from './field-errors.ts';
import { bodyId, pageParameter, pathId, textUpTo } from './text.ts';
import { timeZone } from './time-zone.ts';

const errorsOf = (schema: z.ZodType, input: unknown) => {
  const { error } = schema.safeParse(input);
  return error ? fieldErrors(error, input) : {};
};

describe('field errors', () => {
  test.each([
    ['a missing field', { name: textUpTo(255) }, {}, 'The name field is required.'],
    ['an empty name', { name: textUpTo(255) }, { name: '' }, 'The name field is required.'],
    [
      'a long name',
      { name: textUpTo(255) },
      { name: 'x'.repeat(256) },
      'The name field must not be greater than 255 characters.',
    ],
    [
      'a NUL character',
      { name: textUpTo(255) },
      { name: 'a\u0000' },
      'The name field must be well-formed Unicode without NUL characters.',
    ],
    [
      'a wrong type',
      { webhook_url: z.string() },
      { webhook_url: 1 },
      'The webhook url field must be a string.',
    ],
    ['no null', { name: textUpTo(9) }, { name: null }, 'The name field must be a string.'],
    [
      'an id that is text',
      { sender_id: bodyId() },
      { sender_id: '1' },
      'The sender id field must be an integer.',
    ],
    ['a fraction', { sender_id: bodyId() }, { sender_id: 1.5 }, 'The sender id field must be an integer.'],
    [
      'a page of words',
      { page: pageParameter(1, 1, 9) },
      { page: 'x' },
      'The page field must be an integer.',
    ],
    [
      'a page too far',
      { page: pageParameter(1, 1, 9) },
      { page: '10' },
      'The page field must not be greater than 9.',
    ],
    [
      'an unknown color',
      { color: z.enum(['red', 'blue']) },
      { color: 'x' },
      'The selected color is invalid; it must be one of red, blue.',
    ],
    ['a missing choice', { color: z.enum(['red']) }, {}, 'The color field is required.'],
    [
      'a date',
      { at: z.iso.datetime() },
      { at: 'x' },
      'The at field must be a valid ISO 8601 date and time with its zone, such as 2026-11-21T09:00:00Z.',
    ],
    ['no truth', { on: z.boolean() }, { on: 'yes' }, 'The on field must be true or false.'],
    ['no list', { ids: z.array(z.int()) }, { ids: {} }, 'The ids field must be an array.'],
    ['no object', { flow: z.object({}) }, { flow: [] }, 'The flow field must be an object.'],
    ['no map', { vars: z.record(z.string(), z.int()) }, { vars: 1 }, 'The vars field must be an object.'],
    ['an odd number', { n: z.int().multipleOf(2) }, { n: 3 }, 'The n field must be a multiple of 2.'],
    ['nothing of several', { n: z.union([z.int(), z.null()]) }, { n: 'x' }, 'The n field is invalid.'],
    ['a number too small', { n: z.number().gt(0) }, { n: 0 }, 'The n field must be greater than 0.'],
    ['an address', { ip: z.ipv4() }, { ip: 'x' }, 'The ip field must be a valid ipv4.'],
    [
      'a description too short',
      { text: textUpTo(9, 3) },
      { text: 'ab' },
      'The text field must be at least 3 characters.',
    ],
    [
      'a zone that is an offset',
      { zone: timeZone() },
      { zone: '+01:00' },
      'The zone field must be an IANA time zone.',
    ],
    ['a short list', { l: z.array(z.int()).min(1) }, { l: [] }, 'The l field must have at least 1 items.'],
  ])('say what is wrong with %s', (_, shape, input, message) => {
    expect(errorsOf(z.object(shape), input)).toEqual({ [Object.keys(shape)[0] ?? '']: [message] });
  });

  test('say everything that is wrong with a field, and with a body that is none', () => {
    const name = z.string().min(3).regex(/^a/, { error: 'The :attribute field must begin with a.' });
    expect(errorsOf(z.object({ name }), { name: 'x' })).toEqual({
      name: ['The name field must be at least 3 characters.', 'The name field must begin with a.'],
    });
    expect(errorsOf(z.object({}), 'x')).toEqual({ body: ['The body field must be an object.'] });
  });

  test('tell of the name of a field, not of its value, where that is what is wrong', () => {
    const schema = z.object({ variables: z.record(textUpTo(9), z.json()) });
    const faultOf = (name: string) => Object.values(errorsOf(schema, { variables: { [name]: 'Ada' } }));
    expect(faultOf('')).toEqual([['The variables. field must have a name.']]);
    expect(faultOf('first_names')).toEqual([
      ['The name of the variables.first names field must not be greater than 9 characters.'],
    ]);
    expect(faultOf('name')).toEqual([]);
    const even = z.record(z.string().regex(/^x/), z.json());
    expect(errorsOf(even, { y: 1 })).toEqual({ y: ['The y field has an invalid key.'] });
  });

  test('name a field of an array by its index', () => {
    const schema = z.object({ secondary_contacts: z.array(z.object({ phone_number: z.string() })) });
    expect(errorsOf(schema, { secondary_contacts: [{ phone_number: 'x' }, {}] })).toEqual({
      'secondary_contacts.1.phone_number': ['The secondary contacts.1.phone number field is required.'],
    });
  });

  test('tell of at most 100 fields', () => {
    const errors = errorsOf(
      z.array(z.string()),
      Array.from({ length: 5000 }, () => 1),
    );
    expect(Object.keys(errors)).toHaveLength(100);
  });

  test('are no longer than anybody reads, whatever the names in the body are', () => {
    const long = '\u{1f600}$&'.repeat(30_000);
    const body = {
      [long]: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x${n}`, 'no number'])),
    };
    const errors = errorsOf(z.record(z.string(), z.record(z.string(), z.number())), body);
    const [[name, [first] = []] = ['']] = Object.entries(errors);
    expect(name).toHaveLength(301);
    expect(name.isWellFormed()).toBe(true);
    expect(first).toContain('$&');
    expect(JSON.stringify(errors).length).toBeLessThan(100_000);
  });
});

describe('numbers in paths and queries', () => {
  test('are read from text, and stay what they are on the bus', () => {
    for (const input of ['12', 12]) expect(pathId().parse(input)).toBe(12);
    for (const input of ['3', 3]) expect(pageParameter(1, 1, 9).parse(input)).toBe(3);
    expect(pageParameter(1, 1, 9).parse(undefined)).toBe(1);
  });

  test.each(['', '0', '-1', '01', '1.0', '1e3', ' 1', 'abc', '9223372036854775808', '12345678901234567'])(
    '%j is no id',
    (input) => {
      expect(pathId().safeParse(input).success).toBe(false);
    },
  );
});
