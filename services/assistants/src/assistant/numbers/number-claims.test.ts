import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { expect, test } from 'vitest';
import { assistant, assistantCategory, assistantStream } from '../assistant.ts';
import { createAssistant } from '../create-assistant.ts';
import { deleteAssistant } from '../delete-assistant.ts';
import { allIsWell, leastInput } from '../settings.fixture.ts';

const accountId = 3;
const aggregates = new Aggregates(createInMemoryEventStore());
const stream = (id: number) => ({
  streamId: assistantStream(id),
  category: assistantCategory,
  accountId,
  fold: assistant,
  metadata: {
    correlationId: 'r',
    causationId: 'c',
    commandId: null,
    actor: { kind: 'system', id: 'test' } as const,
  },
  command: null,
});
const create = (id: number, type: 'inbound' | 'outbound') => {
  const input = { ...leastInput, type, phone_number_id: 9 };
  const decide = () => createAssistant(null, { accountId, id, uuid: 'u', input }, allIsWell);
  return aggregates.execute({ ...stream(id), isNew: true, decide });
};

test('of many inbound assistants with one number one is created, and its deletion lets the next one have it', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => n + 1);
  const outcomes = await Promise.all(ids.map((id) => create(id, 'inbound')));
  const winners = ids.filter((_, index) => outcomes[index]?.kind === 'done');
  expect(winners).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.kind === 'rejected')
      expect(outcome.rejection.fields).toEqual({ phone_number_id: [expect.any(String)] });
  expect(await create(21, 'outbound')).toMatchObject({ kind: 'done' });
  await aggregates.execute({
    ...stream(winners[0] ?? 0),
    decide: (state) => deleteAssistant(state, { accountId, now: new Date(0) }),
  });
  expect(await create(22, 'inbound')).toMatchObject({ kind: 'done' });
});
