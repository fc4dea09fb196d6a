import type { CallBrief } from '@parley/providers';
import type { LiveCall } from './call.ts';

/**
 * What the agent is told of its call, as the room's metadata or as an attribute of the caller (docs/voice-agents.md).
 */
export const briefOf = ({
  call_id,
  assistant_id,
  input_variables,
  max_duration_s,
}: Pick<LiveCall, 'call_id' | 'assistant_id' | 'input_variables' | 'max_duration_s'>): CallBrief => ({
  call_id,
  assistant_id,
  input_variables,
  max_duration_s,
});
