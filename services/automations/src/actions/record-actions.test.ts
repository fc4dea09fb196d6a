import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ActionModule } from './action.ts';
import { actionContext } from './action-context.fixture.ts';
import type { AskService } from './ask-service.ts';
import { enableAi, setFolder, setLabel } from './record-actions.ts';

const contextOf = (effectKey: string) => actionContext({ effectKey });

/** Does each command once for its id, as every service does, and keeps what was done. */
function service() {
  const done = new Map<string, object>();
  const ask: AskService = async (_, input, { effectKey }, commandId = effectKey) => {
    if (!done.has(commandId)) done.set(commandId, input);
    return { kind: 'ok', body: {} };
  };
  return { ask, done: () => [...done.values()] };
}

describe('a step that sets something', () => {
  test.each<[string, (ask: AskService) => ActionModule, { first: object; repaired: object }]>([
    [
      'assistant.set_folder',
      setFolder,
      { first: { assistant_id: 1, folder_id: 2 }, repaired: { assistant_id: 1, folder_id: 3 } },
    ],
    [
      'assistant.set_label',
      setLabel,
      { first: { assistant_id: 1, label_id: 2 }, repaired: { assistant_id: 1, label_id: 3 } },
    ],
    [
      'conversation.enable_ai',
      enableAi,
      { first: { conversation_uuid: randomUUID() }, repaired: { conversation_uuid: randomUUID() } },
    ],
  ])('sets what it says since it was repaired, and the same once: %s', async (_, action, inputs) => {
    const { ask, done } = service();
    const { run } = action(ask);
    const context = contextOf(randomUUID());
    for (const input of [inputs.first, inputs.first, inputs.repaired, inputs.repaired]) {
      const outcome = await run({ ...input }, context);
      expect(outcome).toMatchObject({ ok: true, output: input });
    }
    expect(done()).toHaveLength(2);
    await run({ ...inputs.first }, contextOf(randomUUID()));
    expect(done()).toHaveLength(3);
  });
});
