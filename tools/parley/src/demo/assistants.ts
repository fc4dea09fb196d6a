import {
  createAssistant,
  createKnowledgebase,
  listFolders,
  listKnowledgebases,
  listLabels,
} from '@parley/contracts';
import type { DemoPart } from './demo-part.ts';

const usual = {
  mode: 'pipeline',
  llm_model_id: 1,
  voice_id: 1,
  language_id: 1,
  timezone: 'Europe/Berlin',
} as const;

export const assistants: DemoPart = {
  name: 'assistants',
  async seed({ get, post }) {
    const knowledge = { name: 'Opening hours and prices', description: 'What callers ask most' };
    await post(createKnowledgebase.path, knowledge, 'knowledgebase-hours');
    const [folder] = (await get(listFolders.path, listFolders.success.schema)).data;
    const [label] = (await get(listLabels.path, listLabels.success.schema)).data;
    const [hours] = (await get(listKnowledgebases.path, listKnowledgebases.success.schema)).data;
    const outreach = {
      ...usual,
      name: 'Outreach',
      type: 'outbound',
      initial_message: 'Hello {{name}}, do you have a minute?',
      system_prompt: 'You call people who asked for an appointment and find a time that suits them.',
      variables: { name: 'there' },
      post_call_evaluation: true,
      post_call_schema: [
        { name: 'has_appointment', type: 'bool', description: 'Whether an appointment was made' },
      ],
    };
    await post(createAssistant.path, outreach, 'assistant-outreach');
    // The newest: it answers on the sender.
    const reception = {
      ...usual,
      name: 'Reception',
      type: 'inbound',
      initial_message: 'Hello, you have reached the demo. How can I help you?',
      system_prompt: 'You answer the phone of a small company. Be friendly and brief.',
      folder_id: folder?.id ?? null,
      label_ids: label ? [label.id] : [],
      knowledgebase_id: hours?.id ?? null,
    };
    await post(createAssistant.path, reception, 'assistant-reception');
  },
};
