import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../definition/compiled.ts';
import type { JsonValue } from '../json.ts';
import { Effort } from './effort.ts';
import { compileTemplate } from './template.ts';

type Seen = Omit<Scope, 'effort'>;
const scope: Seen = {
  trigger: {
    customer_phone: '+4915112345678',
    lead: { variables: { first_name: 'Ada', tags: ['a', 'b'], age: '41', none: null, empty: '' } },
    at: '2026-11-21T09:30:00Z',
    'odd key': 7,
  },
  steps: { send: { output: { status: 'queued', ids: [1, 2] } } },
  vars: { team: 'Sales' },
  run: { id: 'r1' },
  now: '2026-11-21T10:00:00.000Z',
};

function compiled(source: JsonValue, timezone = 'Europe/Berlin') {
  const faults: string[] = [];
  const template = compileTemplate(source, {
    timezone,
    at: 'input',
    onFault: (path, message) => faults.push(`${path}: ${message}`),
  });
  return { ...template, faults };
}
const resolved = (source: JsonValue, within: Seen = scope) => {
  const { faults, resolve } = compiled(source);
  expect(faults).toEqual([]);
  return resolve({ ...within, effort: new Effort() });
};

describe('a template', () => {
  test.each<[string, JsonValue]>([
    ['{{trigger.customer_phone}}', '+4915112345678'],
    ['Hello {{ trigger.lead.variables.first_name }}!', 'Hello Ada!'],
    ['{{steps.send.output.ids}}', [1, 2]],
    ['{{steps.send.output.ids[1]}}', 2],
    ["{{trigger['odd key']}}", 7],
    ['{{vars.team}} {{run.id}} {{now}}', 'Sales r1 2026-11-21T10:00:00.000Z'],
    ["{{trigger.lead.variables.missing | default: 'there'}}", 'there'],
    ["{{trigger.lead.variables.empty | default: 'there'}}", 'there'],
    ["{{trigger.lead.variables.none | date: 'dd.MM.yyyy' | default: 'for ever'}}", 'for ever'],
    ["{{trigger.lead.variables.empty | trim | e164 | upper | default: 'none'}}", 'none'],
    ['{{trigger.lead.variables.none | number | default: 0 | json}}', '0'],
    ['{{trigger.lead.variables.none}}', null],
    ['[{{trigger.lead.variables.none}}]', '[]'],
    ['{{trigger.lead.variables.first_name | upper}}', 'ADA'],
    ['{{trigger.lead.variables.first_name | lower}}', 'ada'],
    ["{{'  x ' | trim}}", 'x'],
    ["{{'0049 (151) 123-45678' | e164}}", '+4915112345678'],
    ["{{'+49 (0) 151 / 123-45678' | e164}}", '+4915112345678'],
    ["{{'+39 06 1234 5678' | e164}}", '+390612345678'],
    // As copied from contacts and web pages: with marks of its direction, and hyphens that do not break.
    ["{{'\u202A+49\u00A0151\u201112345\u2013678\u202C' | e164}}", '+4915112345678'],
    // Of a country's own spellings, those that its people dial.
    ["{{'0151 / 123-45678' | e164: 'DE'}}", '+4915112345678'],
    ["{{'+1 (415) 555-2671' | e164: 'DE'}}", '+14155552671'],
    ["{{'0044 20 7946 0958' | e164: 'DE'}}", '+442079460958'],
    ["{{'(415) 555-2671' | e164: 'US'}}", '+14155552671'],
    ["{{'06 1234 5678' | e164: 'IT'}}", '+390612345678'],
    ["{{trigger.at | date: 'dd.MM.yyyy HH:mm'}}", '21.11.2026 10:30'],
    ['{{trigger.lead.variables.age | number}}', 41],
    ['{{trigger.lead.variables.tags | json}}', '["a","b"]'],
    ['{{trigger.lead.variables.tags | first}}', 'a'],
    ["{{trigger.lead.variables.tags | join: '+'}}", 'a+b'],
    ['{{trigger.lead.variables.tags | length}}', 2],
    [
      "/customers/{{'Ann Lee/../x?y=1&z#ü+%' | url_encode}}/notes",
      '/customers/Ann%20Lee%2F..%2Fx%3Fy%3D1%26z%23%C3%BC%2B%25/notes',
    ],
    ['?age={{trigger.lead.variables.age | number | url_encode}}', '?age=41'],
    ['?none={{trigger.lead.variables.none | url_encode}}', '?none='],
    ["{{ '{{' }}", '{{'],
    ["{{trigger.x | default: '}}'}}", '}}'],
    ['no braces', 'no braces'],
  ])('%s', (source, value) => expect(resolved(source)).toEqual({ ok: true, value }));

  test('is filled in wherever it stands in a value, which keeps its shape', () => {
    expect(resolved({ a: ['{{vars.team}}', 1, null, { b: true }], ['__proto__']: 'x' })).toEqual({
      ok: true,
      value: { a: ['Sales', 1, null, { b: true }], ['__proto__']: 'x' },
    });
  });

  test.each([
    ['{{trigger.nothing}}', 'MAPPING_UNRESOLVED'],
    ['{{trigger.customer_phone.length}}', 'MAPPING_UNRESOLVED'],
    ['{{steps.send.output.ids.length}}', 'MAPPING_UNRESOLVED'],
    ['{{steps.toString.output}}', 'MAPPING_UNRESOLVED'],
    ['{{trigger.hasOwnProperty}}', 'MAPPING_UNRESOLVED'],
    ['x {{trigger.lead}}', 'TYPE_MISMATCH'],
    ['{{trigger.lead | number}}', 'TYPE_MISMATCH'],
    ["{{'12' | e164}}", 'INVALID_PHONE'],
    ["{{'0151 12345678' | e164}}", 'INVALID_PHONE'],
    ["{{'12' | e164: 'DE'}}", 'INVALID_PHONE'],
    ["{{'call me' | e164: 'DE'}}", 'INVALID_PHONE'],
    ['{{trigger.lead | upper}}', 'TYPE_MISMATCH'],
    ['{{null | number}}', 'TYPE_MISMATCH'],
    ['{{true | first}}', 'TYPE_MISMATCH'],
    ['{{12 | length}}', 'TYPE_MISMATCH'],
    ["{{'a' | join}}", 'TYPE_MISMATCH'],
    ["{{'2026-13-45' | date}}", 'TYPE_MISMATCH'],
    ["{{'tomorrow' | date}}", 'TYPE_MISMATCH'],
    ['{{trigger.lead | url_encode}}', 'TYPE_MISMATCH'],
    ['{{trigger.nothing | upper}}', 'MAPPING_UNRESOLVED'],
  ])('%s is a wiring error: %s', (source, code) =>
    expect(resolved(source)).toMatchObject({ ok: false, code, class: 'wiring_error' }),
  );

  test.each([
    ['{{trigger.__proto__}}', 'input: "trigger.__proto__" must not name __proto__.'],
    ['{{trigger.a.constructor.b}}', 'input: "trigger.a.constructor.b" must not name constructor.'],
    ["{{vars['prototype']}}", `input: "vars['prototype']" must not name prototype.`],
    ['{{process.env}}', 'input: "process.env" must begin with one of trigger, steps, vars, run, now.'],
    ['{{steps.send.status}}', 'input: "steps.send.status" must be like steps.<id>.output.'],
    ['{{trigger.x', 'input: A template that begins with {{ must end with }}.'],
    [
      '{{trigger.größe | upper}}',
      `input: A template cannot be read from "öße | upper" on; a name with anything but a to z, digits, _ and - stands in brackets: trigger.body['first name'].`,
    ],
    [
      '{{trigger.x[-1]}}',
      `input: A template cannot be read from "[-1]" on; a name with anything but a to z, digits, _ and - stands in brackets: trigger.body['first name'].`,
    ],
    ['{{}}', 'input: A template must begin with a path.'],
    ['{{trigger.x | shout}}', /^input: The filter shout does not exist/],
    ['{{trigger.x | toString}}', /^input: The filter toString does not exist/],
    ['{{trigger.x | default}}', 'input: The filter default needs an argument.'],
    ['{{trigger.x | upper: 1}}', 'input: The filter upper takes no argument.'],
    ["{{trigger.x | e164: 'Germany'}}", "input: The filter e164 takes a country by its two letters: 'DE'."],
    ['{{trigger.x | default: trigger.y}}', /argument of a filter must be a text in quotes or a number\.$/],
    ['{{trigger.x | }}', 'input: A filter must follow the |.'],
    [`{{trigger.x${' | trim'.repeat(11)}}}`, 'input: A template must not have more than 10 filters.'],
    ['{{trigger..x}}', 'input: "trigger..x" is not a path.'],
    [`{{trigger${'.a'.repeat(33)}}}`, /is too deep\.$/],
    ['{{now.year}}', 'input: "now.year": now is a text.'],
    ['{{trigger.x trigger.y}}', 'input: A template must be like {{path | filter}}.'],
  ])('%s is refused before any run', (source, message) => {
    const { faults } = compiled(source);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(message);
  });

  test('encodes half a character for a URL as what cannot be read', () => {
    const within = { ...scope, trigger: { name: 'A\ud83d' } };
    expect(resolved('{{trigger.name | url_encode}}', within)).toEqual({ ok: true, value: 'A%EF%BF%BD' });
  });

  test('grows no deeper than everything that walks it can follow', () => {
    const nested = (levels: number): JsonValue => (levels === 0 ? 1 : [nested(levels - 1)]);
    const within = (levels: number) => resolved({ a: '{{trigger}}' }, { ...scope, trigger: nested(levels) });
    expect(within(127)).toMatchObject({ ok: true });
    expect(within(128)).toMatchObject({ ok: false, code: 'RESULT_TOO_LARGE', class: 'wiring_error' });
  });

  test('grows no larger than an input may be', () => {
    const big: Seen = { ...scope, trigger: { text: 'x'.repeat(100_000) } };
    expect(resolved('{{trigger.text}}{{trigger.text}}{{trigger.text}}', big)).toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
    expect(resolved(['{{trigger}}', '{{trigger}}', '{{trigger}}'], big)).toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
  });
});

const key = fc.oneof(
  fc.constantFrom('trigger', 'vars', 'a', '__proto__', 'constructor', 'toString', 'length', '0'),
  fc.string(),
);
const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const fragment = fc.oneof(
  fc.constantFrom(
    '{{',
    '}}',
    '|',
    ':',
    'trigger',
    '.',
    'steps.a.output',
    'default',
    'json',
    "'",
    '"',
    '[0]',
    ' ',
  ),
  key,
);
const text = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(''));
const source = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    json,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<JsonValue>,
  ),
})).value;
const anyScope = fc.record({
  trigger: json,
  steps: fc.dictionary(key, fc.record({ output: json })),
  vars: json,
  run: json,
  now: fc.constant('2026-11-21T10:00:00.000Z'),
});

/** Everything there is in a value, its keys included. */
function* leaves(of: JsonValue): Generator<unknown> {
  yield of;
  if (typeof of === 'object' && of !== null)
    for (const child of Object.values(of)) yield* leaves(child as JsonValue);
}

test.each([
  ['{{12 | number}}', 12],
  ['{{vars.none | first}}', null],
  ["{{'' | first}}", ''],
  ["{{'Ada' | first}}", 'A'],
  ["{{'Ada' | length}}", 3],
  ['{{vars.words | length}}', 2],
  ['{{vars.words | join}}', 'a, b'],
  ["{{vars.words | join: '-'}}", 'a-b'],
  ['{{vars.words | join: null}}', 'ab'],
  ["{{'2026-11-21 10:00' | date}}", '2026-11-21T09:00:00.000Z'],
  ["{{'2026-11-21T10:00Z' | date}}", '2026-11-21T10:00:00.000Z'],
  ["{{'2026-11-21' | date: 'dd.MM.yyyy'}}", '21.11.2026'],
  ["{{'2026-11-21' | date: null}}", ''],
  ['{{true}}', true],
  ['{{vars.missing | default: false}}', false],
])('%s is %j', (source, value) =>
  expect(resolved(source, { ...scope, vars: { none: [], words: ['a', 'b'] } })).toEqual({ ok: true, value }),
);

test.each(['America/New_York', 'Pacific/Auckland', 'America/Sao_Paulo', 'UTC', 'IST'])(
  'a date alone is its own day, and a time without an offset is one, in %s',
  (timezone) => {
    const written = (text: string) =>
      compiled(`{{'${text}' | date: 'dd.MM.yyyy HH:mm'}}`, timezone).resolve({
        ...scope,
        effort: new Effort(),
      });
    expect(written('2026-12-24')).toEqual({ ok: true, value: '24.12.2026 00:00' });
    expect(written('2026-12-24 18:30')).toEqual({ ok: true, value: '24.12.2026 18:30' });
    // Where the clock of São Paulo had no midnight.
    expect(written('2018-11-04')).toMatchObject({ value: expect.stringMatching(/^04\.11\.2018 0[01]:00$/) });
  },
);

test('what a list of objects comes to in a text nobody knows', () =>
  expect(resolved('{{vars.list | join}}', { ...scope, vars: { list: [{}] } })).toMatchObject({
    code: 'TYPE_MISMATCH',
    message: expect.stringContaining('a list'),
  }));

describe('whatever the template and the data', () => {
  test('it is deterministic, throws nothing, changes nothing, and yields data only', () => {
    fc.assert(
      fc.property(source, anyScope, (of, within) => {
        const before = JSON.stringify(within);
        const { faults, resolve } = compiled(of);
        if (faults.length > 0) return;
        const resolveAnew = () => resolve({ ...within, effort: new Effort() });
        const [once, twice] = [resolveAnew(), resolveAnew()];
        expect(twice).toEqual(once);
        expect(JSON.stringify(within)).toBe(before);
        if (!once.ok) expect(once.class).toBe('wiring_error');
        else
          for (const leaf of leaves(once.value)) expect(typeof leaf).not.toMatch(/function|symbol|undefined/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('an input of the largest size is worked out', () => {
    const text = 'x'.repeat(1_000);
    const wide: Scope = { ...scope, trigger: { text }, effort: new Effort() };
    const { resolve } = compiled(Array.from({ length: 250 }, () => '{{trigger.text | default: 1}}'));
    expect(resolve(wide)).toEqual({ ok: true, value: Array(250).fill(text) });
  });
});
