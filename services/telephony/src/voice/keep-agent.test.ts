import type { ProviderResult } from '@parley/providers';
import { expect, test } from 'vitest';
import { keepAgent } from './keep-agent.ts';

const away = { kind: 'unavailable', message: 'away' } as const;

/**
 * After which pauses a voice platform that answers like this was asked again, and how often the log has told that it is
 * away, or there again; the process ends in pause `endsIn`.
 */
async function keptWith(answers: readonly ProviderResult<undefined>[], endsIn?: number) {
  const [closing, pauses, left] = [new AbortController(), [] as number[], [...answers]];
  const told = { away: 0, back: 0 };
  await keepAgent({
    closing: closing.signal,
    logger: {
      warn() {
        told.away += 1;
      },
      info() {
        told.back += 1;
      },
    },
    async pause(ms) {
      if (pauses.push(ms) === endsIn) closing.abort();
    },
    platform: { keepAgent: async () => left.shift() ?? { kind: 'ok', value: undefined } },
  });
  return { pauses, told };
}

test('the agent of inbound calls is seen to at the start, however long the voice platform is away', async () => {
  expect(await keptWith([])).toEqual({ pauses: [], told: { away: 0, back: 0 } });
  expect(await keptWith(Array(8).fill(away))).toEqual({
    pauses: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
    told: { away: 7, back: 1 },
  });
});

test('a voice platform that starts at the same time is not told to be away', async () => {
  expect(await keptWith([away])).toEqual({ pauses: [1_000], told: { away: 0, back: 0 } });
});

test('a process that ends does not ask again', async () => {
  expect((await keptWith(Array(8).fill(away), 2)).pauses).toEqual([1_000, 2_000]);
});
