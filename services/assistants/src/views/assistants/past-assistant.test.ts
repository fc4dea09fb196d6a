import type { AssistantEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { pastAssistant, renderPast } from './past-assistant.ts';

const after = (names: readonly string[], gone: readonly string[] = []) =>
  renderPast(
    golden<AssistantEvent>(...names)
      .map((event) => recorded(event, { streamId: 'assistant-12' }))
      .reduce(pastAssistant.evolve, pastAssistant.initialState),
    async (reference) => gone.includes(reference),
  );

test('an assistant is what its events have made of it by then', async () => {
  expect(await after(['AssistantCreated.v1'])).toMatchObject({ status: 'inactive', id: 12 });
  expect(await after(['AssistantCreated.v1', 'AssistantActivated.v1'])).toMatchObject({ status: 'active' });
});

test('there is none before the first of them, and none after the last', async () => {
  expect(await after([])).toBeNull();
  expect(await after(['AssistantCreated.v1', 'AssistantDeleted.v1'])).toBeNull();
});

test('what it refers to is not shown any more once that was deleted', async () => {
  const created = ['AssistantCreated.v1'];
  const { folder_id: folder } = Object(await after(created));
  expect(await after(created, [`folder-${folder}`, 'label-7'])).toMatchObject({
    folder_id: null,
    label_ids: [8],
  });
  expect(await after(created, ['label-9'])).toMatchObject({ folder_id: folder, label_ids: [7, 8] });
});
