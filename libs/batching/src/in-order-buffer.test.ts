import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InOrderBuffer } from './in-order-buffer.ts';

const at = (...positions: number[]) => positions.map((position) => ({ position }));

describe('a buffer that puts things in order', () => {
  test('hands out what follows without a gap, in order, each once', () => {
    const buffer = new InOrderBuffer(5);
    buffer.add(at(7, 6, 6, 9, 7));
    expect(buffer.take(10)).toEqual(at(6, 7));
    expect(buffer.take(10)).toEqual([]);
    expect(buffer.hasGap).toBe(true);
    buffer.add(at(8));
    expect(buffer.hasGap).toBe(false);
    expect(buffer.position).toBe(7);
    expect(buffer.take(10)).toEqual(at(8, 9));
    expect(buffer.position).toBe(9);
  });

  test('hands out no more than the limit', () => {
    const buffer = new InOrderBuffer(0);
    buffer.add(at(1, 2, 3));
    expect(buffer.take(2)).toEqual(at(1, 2));
    expect(buffer.position).toBe(2);
    expect(buffer.take(2)).toEqual(at(3));
  });

  test('ignores what is known already', () => {
    const buffer = new InOrderBuffer(5);
    buffer.add(at(4, 5));
    expect(buffer.take(10)).toEqual([]);
    expect(buffer.hasGap).toBe(false);
  });

  test('drops what it has no room for', () => {
    const buffer = new InOrderBuffer(0, 2);
    buffer.add(at(1, 2, 3));
    expect(buffer.take(10)).toEqual(at(1, 2));
    buffer.add(at(3, 4, 5));
    expect(buffer.take(10)).toEqual(at(3, 4));
  });

  test('takes what fills a gap, however much waits behind it', () => {
    const buffer = new InOrderBuffer(0, 2);
    buffer.add(at(3, 4, 5));
    expect(buffer.take(10)).toEqual([]);
    buffer.add(at(1, 2));
    expect(buffer.take(10)).toEqual(at(1, 2, 3, 4));
  });

  test('knows that something is missing once it had no room for it', () => {
    const buffer = new InOrderBuffer(0, 2);
    buffer.add(at(1, 2, 3));
    expect(buffer.hasGap).toBe(false);
    expect(buffer.take(10)).toEqual(at(1, 2));
    expect(buffer.hasGap).toBe(true);
    buffer.add(at(3));
    expect(buffer.take(10)).toEqual(at(3));
    expect(buffer.hasGap).toBe(false);
  });

  test('goes on behind what is known from elsewhere', () => {
    const buffer = new InOrderBuffer(0);
    buffer.add(at(1, 2, 3, 6, 8));
    buffer.skipTo(2);
    expect(buffer.position).toBe(2);
    buffer.skipTo(1);
    expect(buffer.take(10)).toEqual(at(3));
    buffer.skipTo(5);
    expect(buffer.take(10)).toEqual(at(6));
    buffer.skipTo(10);
    expect(buffer.hasGap).toBe(false);
    expect(buffer.position).toBe(10);
  });

  test('forgets what lies behind a gap that nothing fills', () => {
    const buffer = new InOrderBuffer(0);
    buffer.add(at(1, 3));
    buffer.forgetEarly();
    expect(buffer.take(10)).toEqual(at(1));
    expect(buffer.hasGap).toBe(false);
  });

  test('hands out every position once and in order, however they come', () => {
    const happening = fc.oneof(
      fc.record({ add: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 10 }) }),
      fc.record({ take: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ skipTo: fc.integer({ min: 0, max: 30 }) }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
        const buffer = new InOrderBuffer(0);
        let position = 0;
        const waiting = new Set<number>();
        for (const it of happenings) {
          if ('add' in it) {
            buffer.add(at(...it.add));
            for (const each of it.add) if (each > position) waiting.add(each);
          } else if ('skipTo' in it) {
            buffer.skipTo(it.skipTo);
            position = Math.max(position, it.skipTo);
          } else {
            const expected: number[] = [];
            while (expected.length < it.take && waiting.has(position + 1)) expected.push(++position);
            expect(buffer.take(it.take)).toEqual(at(...expected));
          }
          for (const each of waiting) if (each <= position) waiting.delete(each);
          expect(buffer.position).toBe(position);
          expect(buffer.hasGap).toBe(waiting.size > 0 && !waiting.has(position + 1));
        }
      }),
    );
  });
});
