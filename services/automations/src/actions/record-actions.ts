import { createLead, enableConversationAi, labelAssistant, updateAssistant } from '@parley/contracts';
import { v5 as uuidv5 } from 'uuid';
import type { JsonValue } from '../json.ts';
import { type ActionContext, type ActionModule, defineAction } from './action.ts';
import type { AskService } from './ask-service.ts';
import { failureOf } from './classify.ts';

/** Adds a lead to a campaign. */
export const addLead = (ask: AskService): ActionModule =>
  defineAction({
    type: 'lead.add',
    effect: 'local',
    async run(input, context) {
      const answer = await ask(createLead, input, context);
      if (answer.kind !== 'ok') return failureOf(answer, { record: 'CAMPAIGN' });
      return { ok: true, output: createLead.success.schema.parse(answer.body).data as JsonValue };
    },
    dryRun: ({ campaign_id, phone_number, variables }) => ({
      id: 0,
      campaign_id,
      phone_number,
      variables: (variables ?? {}) as JsonValue,
      status: 'created',
    }),
  });

/**
 * Command id of a command that sets what its input says: one for each input. So a repaired step sets the new input even
 * where the old one was set and the answer was lost.
 */
const settingId = (input: object, { effectKey }: ActionContext): string =>
  uuidv5(JSON.stringify(input), effectKey);

/** Gives an assistant one more label. */
export const setLabel = (ask: AskService): ActionModule =>
  defineAction({
    type: 'assistant.set_label',
    effect: 'local',
    async run(input, context) {
      const answer = await ask(labelAssistant, input, context, settingId(input, context));
      if (answer.kind !== 'ok')
        return failureOf(answer, { record: 'ASSISTANT', recordFields: { label_ids: 'LABEL_NOT_FOUND' } });
      return { ok: true, output: { ...input } };
    },
    dryRun: (input) => ({ ...input }),
  });

/** Moves an assistant to a folder, or out of all. */
export const setFolder = (ask: AskService): ActionModule =>
  defineAction({
    type: 'assistant.set_folder',
    effect: 'local',
    async run(input, context) {
      const { assistant_id: id, folder_id } = input;
      const answer = await ask(updateAssistant, { id, folder_id }, context, settingId(input, context));
      if (answer.kind !== 'ok')
        return failureOf(answer, { record: 'ASSISTANT', recordFields: { folder_id: 'FOLDER_NOT_FOUND' } });
      return { ok: true, output: { ...input } };
    },
    dryRun: (input) => ({ ...input }),
  });

/** Has the AI answer a conversation again. */
export const enableAi = (ask: AskService): ActionModule =>
  defineAction({
    type: 'conversation.enable_ai',
    effect: 'local',
    async run(input, context) {
      const { conversation_uuid } = input;
      const command = { uuid: conversation_uuid };
      const answer = await ask(enableConversationAi, command, context, settingId(input, context));
      if (answer.kind !== 'ok') return failureOf(answer, { record: 'CONVERSATION' });
      return { ok: true, output: { conversation_uuid, ai_enabled: true } };
    },
    dryRun: ({ conversation_uuid }) => ({ conversation_uuid, ai_enabled: true }),
  });

/** Gives values names, under which later steps read them; it has no effect. */
export const mapData: ActionModule = defineAction({
  type: 'data.map',
  effect: 'pure',
  run: async (input) => ({ ok: true, output: input as JsonValue }),
  dryRun: (input) => input as JsonValue,
});
