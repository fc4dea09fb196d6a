import { expect, test } from 'vitest';
import { events, whyNotUndone } from '../index.ts';

test('every type of event says whether it can be undone, or why not', () => {
  expect(Object.keys(whyNotUndone).sort()).toEqual([...new Set(events.map(({ type }) => type))].sort());
});

test('a reason is a sentence', () => {
  for (const [type, reason] of Object.entries(whyNotUndone))
    if (reason !== null) expect([type, reason]).toEqual([type, expect.stringMatching(/^[A-Z].{10,}\.$/)]);
});
