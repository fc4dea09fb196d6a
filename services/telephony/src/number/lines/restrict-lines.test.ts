import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { createLogger } from '@parley/process-kit';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { lost } from '../../voice/inbound-lines.fixture.ts';
import { bought } from '../bought.fixture.ts';
import { numberCategory, numberStream } from '../number.ts';
import { restrictLines } from './restrict-lines.ts';

const refused = { kind: 'rejected', code: 'invalid_argument', message: 'No.' } as const;

/** How often the line of a number was opened at a start, by what the platform answers. */
async function openedAtStart(
  addresses: string[] | null,
  answers: readonly (typeof lost | typeof refused | null)[],
) {
  const store = createInMemoryEventStore();
  for (const id of [7, 8]) {
    const about = { streamId: numberStream(id), category: numberCategory, accountId: 3 };
    await store.append({ ...about, events: bought, expectedVersion: 0, metadata: testMetadata });
  }
  const left = [...answers];
  let opened = 0;
  await restrictLines({
    aggregates: new Aggregates(store),
    closing: new AbortController().signal,
    config: { CARRIER_SIP_ALLOWED_IPS: addresses },
    lines: {
      async open() {
        opened += 1;
        return left.shift() ?? null;
      },
      close: async () => null,
    },
    logger: createLogger({ service: 'test', level: 'silent' }),
    numbers: async () => [7, 8],
  });
  return opened;
}

test('the lines of all numbers get the carrier’s addresses at a start, through outages, and past a refusal', async () => {
  const addresses = ['54.172.60.0/23'];
  expect(await openedAtStart(addresses, [])).toBe(2);
  expect(await openedAtStart(addresses, [lost, null])).toBe(3);
  expect(await openedAtStart(addresses, [refused])).toBe(2);
});

test('where nothing is said, lines stay as they are', async () => {
  expect(await openedAtStart(null, [])).toBe(0);
});
