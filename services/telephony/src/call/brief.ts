import type { CallBrief } from '@parley/providers';
import type { LiveCall } from './call.ts';

/** What an agent is told of its call, whichever way that goes (docs/voice-agents.md). */
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
