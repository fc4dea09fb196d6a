import { describe, expect, test } from 'vitest';
import { fillIn } from './fill-in.ts';

const maxLength = 10_000;

describe('a text is filled in', () => {
  test('where it has placeholders, and nothing else of it', () => {
    const text = '{{a}} {{ b }} {{constructor}}{{c}} {{}} {a} $& {{d}}';
    const variables = { a: '{{b}} $1', b: 2, c: null, d: ['x'] };
    expect(fillIn(text, variables, maxLength)).toBe('{{b}} $1 2  {{}} {a} $& ["x"]');
  });

  test('up to a length', () => {
    const filled = fillIn('{{a}}'.repeat(1_000), { a: 'x'.repeat(1_000) }, maxLength);
    expect(filled.length).toBeLessThan(maxLength + 1_000);
  });

  test.each(['{{', ' ', '{{ ', '{{a', '{{a }'])('in no time, whatever the text is made of: %j', (part) => {
    const text = `{{${part.repeat(1_600)}`;
    const begunAt = performance.now();
    expect(fillIn(text, {}, maxLength)).toBe(text);
    expect(performance.now() - begunAt).toBeLessThan(2_000);
  });
});
