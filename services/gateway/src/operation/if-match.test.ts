import { reject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { describe, expect, test } from 'vitest';
import { atOneOf, expectedVersionsOf } from './if-match.ts';

describe('If-Match', () => {
  test.each([
    [undefined, [null]],
    ['*', [null]],
    ['"12"', [12]],
    [' "0" ', [0]],
    ['"999", "1"', [1, 999]],
    ['"3","2" , "3"', [2, 3]],
    ['W/"1", "2", "abc", "a,b"', [2]],
    ['"1","2","3","4","5","6","7","8"', [1, 2, 3, 4, 5, 6, 7, 8]],
  ])('%j expects one of %j', (header, versions) => {
    expect(expectedVersionsOf(header)).toEqual(versions);
  });

  test.each([
    '',
    '12',
    'W/"12"',
    '"abc"',
    '"-1"',
    `"${'9'.repeat(16)}"`,
    '12, "13"',
    '"12" "13"',
    '"12",',
    '*, "12"',
    'W/"1", "abc"',
    '"1","2","3","4","5","6","7","8","9"',
  ])('%j never matches', (header) => {
    expect(expectedVersionsOf(header)).toEqual(reject('version_mismatch'));
  });
});

describe('a command for one of several versions', () => {
  const done: BusReply = { kind: 'ok', body: '{}' };
  const refused = (code: string): BusReply => ({ kind: 'rejected', rejection: { code } });
  const run = async (
    versions: Parameters<typeof atOneOf>[0],
    answer: (expected: number | null) => BusReply,
  ) => {
    const asked: (number | null)[] = [];
    const reply = await atOneOf(versions, async (expected) => {
      asked.push(expected);
      return answer(expected);
    });
    return { asked, reply };
  };
  const current = (version: number) => (expected: number | null) =>
    expected === version ? done : refused('version_mismatch');

  test('is given with the lowest first, up to the one that matches', async () => {
    expect(await run([1, 3, 7], current(3))).toEqual({ asked: [1, 3], reply: done });
  });

  test('is refused when none matches', async () => {
    expect(await run([1, 3], current(2))).toEqual({ asked: [1, 3], reply: refused('version_mismatch') });
  });

  test('is given once when it is refused for something else, or expects nothing', async () => {
    expect(await run([1, 3], () => refused('not_found'))).toEqual({
      asked: [1],
      reply: refused('not_found'),
    });
    expect(await run([null], () => done)).toEqual({ asked: [null], reply: done });
  });
});
