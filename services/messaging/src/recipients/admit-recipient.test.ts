import { describe, expect, test } from 'vitest';
import { refusalByLimit } from './admit-recipient.ts';

describe("a sender's limit of unique recipients", () => {
  test.each([
    [null, 1_000_000, false],
    [3, 2, false],
    [3, 3, true],
    [0, 5, true],
  ])('of %j with %i used lets the recipient pass (known: %j)', (limit, used, isAmongThem) =>
    expect(refusalByLimit(limit, { used, isAmongThem })).toBeNull(),
  );

  test.each([
    [3, 3],
    [3, 4],
    [0, 0],
  ])('of %i with %i used refuses a new recipient', (limit, used) =>
    expect(refusalByLimit(limit, { used, isAmongThem: false })).toMatchObject({
      code: 'messaging_limit_reached',
      details: { limit, used },
    }),
  );
});
