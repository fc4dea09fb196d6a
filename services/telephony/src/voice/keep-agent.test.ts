import { createLogger } from '@parley/process-kit';
import type { ProviderResult } from '@parley/providers';
import { expect, test } from 'vitest';
import { keepAgent } from './keep-agent.ts';

const away = { kind: 'unavailable', message: 'away' } as const;

/** After which pauses a voice platform that answers like this was asked again; the process ends in pause `endsIn`. */
async function pausesWith(answers: readonly ProviderResult<undefined>[], endsIn?: number) {
  const [closing, pauses, left] = [new AbortController(), [] as number[], [...answers]];
  await keepAgent({
    closing: closing.signal,
    logger: createLogger({ service: 'test', level: 'silent' }),
    async pause(ms) {
      if (pauses.push(ms) === endsIn) closing.abort();
    },
    platform: { keepAgent: async () => left.shift() ?? { kind: 'ok', value: undefined } },
  });
  return pauses;
}

test('the agent of inbound calls is seen to at the start, however long the voice platform is away', async () => {
  expect(await pausesWith([])).toEqual([]);
  expect(await pausesWith(Array(8).fill(away))).toEqual([
    ...[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
  ]);
});

test('a process that ends does not ask again', async () => {
  expect(await pausesWith(Array(8).fill(away), 2)).toEqual([1_000, 2_000]);
});
