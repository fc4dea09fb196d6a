import type { AssistantCreation } from '@parley/contracts';
import type { Facts } from './facts.ts';

/** The least an assistant needs. */
export const leastInput: AssistantCreation = {
  name: 'Ada',
  type: 'inbound',
  mode: 'pipeline',
  voice_id: 1,
  language_id: 2,
  timezone: 'Europe/Berlin',
  initial_message: 'Hello!',
  system_prompt: 'You are helpful.',
  llm_model_id: 3,
};

/** The account has everything and every URL may be called. */
export const allIsWell: Facts = {
  isOwn: () => true,
  number: { kind: 'normal', takes_calls: true },
  urlFault: () => null,
};
