import { type AssistantSettings, asWords, type Rejection, reject } from '@parley/contracts';
import type { Facts } from './facts.ts';

type Fields = Record<string, string[]>;

/**
 * Checks what fields must say together (decisions, section 3), and what they may point at: null when all is well.
 * `before` is the assistant as it was; URLs, references and numbers that stay are not checked again.
 */
export function settingsFault(
  before: AssistantSettings | null,
  after: AssistantSettings,
  facts: Facts,
): Rejection | null {
  const fields: Fields = {
    ...modelFault(after),
    ...webhookFaults(before, after, facts),
    ...referenceFaults(before, after, facts),
    ...numberFault(after, facts),
    ...sizeFault(after),
  };
  return Object.keys(fields).length === 0 ? null : reject('invalid', { fields });
}

/** Largest settings, in characters of their JSON: a page of a hundred assistants must fit into one answer. */
const maxSettingsLength = 128 * 1024;

function sizeFault(settings: AssistantSettings): Fields {
  if (JSON.stringify(settings).length <= maxSettingsLength) return {};
  const lengthOf = (value: unknown) => JSON.stringify(value).length;
  const [largest = 'variables'] =
    Object.entries(settings).sort(([, one], [, other]) => lengthOf(other) - lengthOf(one))[0] ?? [];
  return {
    [largest]: [
      `The settings of an assistant must not be larger than ${maxSettingsLength} characters in all.`,
    ],
  };
}

function modelFault({ mode, llm_model_id, multimodal_model_id }: AssistantSettings): Fields {
  if (mode === 'pipeline' && llm_model_id === null)
    return { llm_model_id: ['The llm model id field is required when mode is pipeline.'] };
  if (mode === 'multimodal' && multimodal_model_id === null)
    return { multimodal_model_id: ['The multimodal model id field is required when mode is multimodal.'] };
  return {};
}

function webhookFaults(before: AssistantSettings | null, after: AssistantSettings, facts: Facts): Fields {
  const fields: Fields = {};
  if (after.is_webhook_active && after.webhook_url === null)
    fields.webhook_url = ['The webhook url field is required when is webhook active is true.'];
  for (const field of ['webhook_url', 'inbound_webhook_url'] as const) {
    const url = after[field];
    const fault = url === null || url === before?.[field] ? null : facts.urlFault(url);
    if (fault !== null) fields[field] = [`The ${asWords(field)} field ${fault}`];
  }
  return fields;
}

function referenceFaults(before: AssistantSettings | null, after: AssistantSettings, facts: Facts): Fields {
  const fields: Fields = {};
  const { folder_id, knowledgebase_id, label_ids } = after;
  if (folder_id !== null && folder_id !== before?.folder_id && !facts.isOwn('folder', folder_id))
    fields.folder_id = ['The selected folder id is invalid.'];
  if (
    knowledgebase_id !== null &&
    knowledgebase_id !== before?.knowledgebase_id &&
    !facts.isOwn('knowledgebase', knowledgebase_id)
  )
    fields.knowledgebase_id = ['The selected knowledgebase id is invalid.'];
  for (const [index, id] of label_ids.entries())
    if (!before?.label_ids.includes(id) && !facts.isOwn('label', id))
      fields[`label_ids.${index}`] = [`The selected label ids.${index} is invalid.`];
  return fields;
}

/** The fault of a number, which is looked up only when it, or the assistant's type, changes (`numberToCheck`). */
function numberFault({ type, phone_number_id }: AssistantSettings, { number }: Facts): Fields {
  if (number === 'unchecked' || phone_number_id === null) return {};
  if (number === null) return { phone_number_id: ['The selected phone number id is invalid.'] };
  if (type !== 'inbound' || (number.kind !== 'caller_id' && number.takes_calls)) return {};
  const what = number.kind === 'caller_id' ? 'A caller ID' : 'A number for SMS alone';
  return { phone_number_id: [`${what} cannot be called: an inbound assistant needs another number.`] };
}

/** The rejection of a number that another inbound assistant has. */
export const numberTaken = (): Rejection =>
  reject('invalid', {
    fields: { phone_number_id: ['The phone number is already assigned to another inbound assistant.'] },
  });
