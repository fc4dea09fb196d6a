import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHeaderText, encodeHeaderText } from './header-text.ts';
import {
  decodeContext,
  decodeReplyMessage,
  encodeContext,
  encodeReplyMessage,
  type HeaderList,
} from './headers.ts';
import type { BusReply, MessageContext } from './message.ts';

const reader = (headers: HeaderList) => {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return (name: string) => values.get(name.toLowerCase());
};
/** Lone surrogates have no UTF-8 form; everything else survives. */
const text = fc.string({ unit: 'binary', minLength: 1 }).map((value) => value.toWellFormed());
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

describe('header text', () => {
  test('carries any text in printable ASCII without outer blanks', () => {
    fc.assert(
      fc.property(text, (value) => {
        const encoded = encodeHeaderText(value);
        expect(encoded).toMatch(/^(?! )[ -~]*(?<! )$/);
        expect(decodeHeaderText(encoded)).toBe(value);
      }),
    );
  });

  test('leaves plain text as it is, and takes what others wrote unencoded', () => {
    expect(encodeHeaderText('http://127.0.0.1:8080/a?b=c')).toBe('http://127.0.0.1:8080/a?b=c');
    expect(encodeHeaderText('a b')).toBe('a b');
    expect(decodeHeaderText('100%')).toBe('100%');
    expect(decodeHeaderText('grün')).toBe('grün');
  });
});

describe('the context of a single message', () => {
  test('survives the headers', () => {
    const contexts: fc.Arbitrary<MessageContext> = fc.record({
      accountId: nullable(fc.nat()),
      actor: fc.record({
        kind: fc.constantFrom('api_key', 'operator', 'automation', 'provider', 'system'),
        id: fc.string({ unit: 'binary' }),
      }),
      commandId: nullable(fc.uuid()),
      fingerprint: nullable(text),
      correlationId: text,
      expectedVersion: nullable(fc.nat()),
      baseUrl: nullable(text),
      timeoutMs: fc.nat({ max: 300_000 }),
    });
    fc.assert(
      fc.property(contexts, (context) => {
        const headers = encodeContext(context);
        for (const [, value] of headers) expect(value).toMatch(/^[ -~]*$/);
        expect(decodeContext('qry.a.b', reader(headers))).toEqual(context);
      }),
    );
  });

  test('has sane defaults for everything that is absent', () => {
    expect(decodeContext('qry.a.b', reader([]))).toEqual({
      accountId: null,
      actor: { kind: 'system', id: 'unknown' },
      commandId: null,
      fingerprint: null,
      correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expectedVersion: null,
      baseUrl: null,
      timeoutMs: 10_000,
    });
    expect(decodeContext('cmd.a.b', reader([]))).toMatchObject({
      commandId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    });
  });

  test.each([
    ['Parley-Account', '1.5'],
    ['Parley-Account', '-1'],
    ['Parley-Account', '99999999999999999'],
    ['Parley-Actor', 'me'],
    ['Parley-Actor', '{"kind":"god","id":"1"}'],
    ['Parley-Actor', '{"kind":"operator"}'],
    ['Parley-Command-Id', '1'],
    ['Parley-Expected-Version', 'one'],
    ['Parley-Timeout-Ms', '999999999'],
    ['Parley-Chain-Depth', '1000'],
  ])('is rejected when %s is %s', (name, value) => {
    expect(decodeContext('cmd.a.b', reader([[name, value]]))).toEqual({
      code: 'malformed',
      message: `These headers could not be read: ${name}.`,
    });
  });

  test('tells how deep the run is that asks', () => {
    const context = { ...decodeContext('qry.a.b', reader([])), chainDepth: 3 } as MessageContext;
    expect(decodeContext('qry.a.b', reader(encodeContext(context)))).toEqual(context);
  });

  test('takes a valid traceparent and ignores another', () => {
    const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(decodeContext('qry.a.b', reader([['traceparent', valid]]))).toMatchObject({ traceparent: valid });
    expect(decodeContext('qry.a.b', reader([['traceparent', 'x']]))).not.toHaveProperty('traceparent');
  });
});

test('a reply survives as a single message', () => {
  const replies: BusReply[] = [
    { kind: 'ok', body: '{"a":1}' },
    { kind: 'ok', body: '{}', position: 0, version: 7, replayed: true },
    { kind: 'rejected', rejection: { code: 'invalid', fields: { name: ['taken'] } } },
  ];
  for (const reply of replies) {
    const { body, headers } = encodeReplyMessage(reply);
    expect(decodeReplyMessage(body, reader(headers))).toEqual(reply);
  }
  expect(decodeReplyMessage('', reader([]))).toEqual({ kind: 'rejected', rejection: { code: 'internal' } });
});
