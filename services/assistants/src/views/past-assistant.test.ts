import type { AssistantEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { pastAssistant, renderPast } from './past-assistant.ts';

const after = (...names: readonly string[]) =>
  renderPast(
    golden<AssistantEvent>(...names)
      .map((event) => recorded(event, { streamId: 'assistant-12' }))
      .reduce(pastAssistant.evolve, pastAssistant.initialState),
  );

test('an assistant is what its events have made of it by then', () => {
  expect(after('AssistantCreated.v1')).toMatchObject({ status: 'inactive', id: 12 });
  expect(after('AssistantCreated.v1', 'AssistantActivated.v1')).toMatchObject({ status: 'active' });
});

test('there is none before the first of them, and none after the last', () => {
  expect(after()).toBeNull();
  expect(after('AssistantCreated.v1', 'AssistantDeleted.v1')).toBeNull();
});
