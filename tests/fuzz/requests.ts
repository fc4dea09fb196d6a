import type { OperationDefinition } from '@parley/contracts';
import fc from 'fast-check';
import { propertyValuesOf } from './values-of-schema.ts';

export interface GeneratedRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The bytes of the body; `null` for none. */
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is known to be good about an operation: its example's body and query, and the id of a resource. */
export interface KnownGood {
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** Four in ten are what the contract describes, four differ from that in one place, two have a body of any bytes. */
export function requestsOf(operation: OperationDefinition, good: KnownGood): fc.Arbitrary<GeneratedRequest> {
  const bodies: fc.Arbitrary<string | null> = operation.body
    ? fc.oneof(
        { weight: 4, arbitrary: members(operation.body, good.body).map((body) => JSON.stringify(body)) },
        {
          weight: 4,
          arbitrary: members(operation.body, good.body)
            .chain(mutated)
            .map((body) => JSON.stringify(body)),
        },
        { weight: 2, arbitrary: rawBodies },
      )
    : fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: rawBodies });
  return fc.record({
    path: ids(good.id).map((id) => operation.path.replace(/\{\w+\}/, encodeURIComponent(id))),
    query: operation.query ? members(operation.query, good.query) : fc.constant({}),
    body: operation.csv ? csvFiles : operation.method === 'GET' ? fc.constant(null) : bodies,
    headers: operation.csv ? fc.constant({ 'content-type': 'text/csv' }) : headers,
  });
}

/** Fields from the contract, most of them as in the example where it has them: those may be more than well-formed. */
const members = (
  schema: NonNullable<OperationDefinition['body']>,
  good: Readonly<Record<string, unknown>>,
): fc.Arbitrary<Record<string, unknown>> => {
  const fields = Object.entries(propertyValuesOf(schema)).map(([name, values]) => {
    const known = name in good ? fc.constant(good[name]) : values;
    const isRequired = schema.shape[name]?.safeParse(undefined).success === false;
    const value = fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: values });
    return fc.tuple(fc.constant(name), value, isRequired ? fc.constant(true) : sometimes);
  });
  return fc
    .tuple(...fields)
    .map((chosen) =>
      Object.fromEntries(chosen.flatMap(([name, value, isThere]) => (isThere ? [[name, value]] : []))),
    );
};

const sometimes = fc.nat(9).map((tenth) => tenth < 1);

const strange = fc.oneof(
  fc.anything({ maxDepth: 3, withBigInt: false }).map((value) => JSON.parse(JSON.stringify(value) ?? 'null')),
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom(
    '__proto__',
    'a\u0000b',
    '\ud800',
    '{{1}}',
    '*',
    '>',
    -1,
    0,
    2 ** 53,
    1e21,
    [],
    {},
    null,
    true,
  ),
);

/** One field another value, gone, or one that nobody asked for. */
const mutated = (body: Record<string, unknown>): fc.Arbitrary<Record<string, unknown>> => {
  const names = Object.keys(body);
  const name = names.length > 0 ? fc.constantFrom(...names) : fc.string();
  return fc.oneof(
    fc.tuple(name, strange).map(([field, value]) => ({ ...body, [field]: value })),
    name.map((field) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== field))),
    fc.tuple(fc.string({ unit: 'binary' }), strange).map(([field, value]) => ({ ...body, [field]: value })),
  );
};

const rawBodies = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 500 }),
  fc.json(),
  fc.constantFrom(
    '{',
    '[[',
    '"',
    '{"a":1,"a":2}',
    '\ufeff{}',
    '{"name":"\\ud800"}',
    `${'['.repeat(40)}${']'.repeat(40)}`,
  ),
);

const csvFiles = fc
  .array(fc.oneof(fc.constant('+14155552671,Ada'), fc.string({ unit: 'grapheme' })), { maxLength: 8 })
  .chain((rows) => fc.constantFrom(['phone_number,name', ...rows].join('\n'), rows.join('\r\n')));

const ids = (own: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(own) },
    { weight: 1, arbitrary: fc.nat().map(String) },
    {
      weight: 1,
      // Dots are no id but a way through the path, which every client goes by itself.
      arbitrary: fc
        .string({ unit: 'binary-ascii', minLength: 1, maxLength: 60 })
        .filter((id) => id !== '.' && id !== '..'),
    },
  );

const headers = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.uuid().map((key) => ({ 'idempotency-key': key })) },
  { weight: 1, arbitrary: fc.nat(9).map((version) => ({ 'if-match': `"${version}"` })) },
);
