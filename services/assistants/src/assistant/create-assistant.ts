import type { AssistantCreation, AssistantEvent, Rejection } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Assistant, LiveAssistant } from './assistant.ts';
import type { Facts } from './facts.ts';
import { numberClaims } from './numbers/number-claims.ts';
import { settingsOf } from './settings.ts';
import { numberTaken, settingsFault } from './settings-rules.ts';

export interface CreateAssistant {
  readonly accountId: number;
  /** A new id, which no other assistant ever has. */
  readonly id: number;
  readonly uuid: string;
  readonly input: AssistantCreation;
}

/** The answer of commands that create or change an assistant. */
export interface AssistantAnswer {
  readonly message: string;
  readonly data: Pick<LiveAssistant, 'id' | 'uuid' | 'name' | 'status' | 'type' | 'mode'>;
}

/**
 * Creates an assistant, which is inactive at first. `invalid`, with faults by field, when its settings do not fit
 * together, point at nothing of the account, or its number belongs to another inbound assistant.
 */
export function createAssistant(
  state: Assistant,
  { accountId, id, uuid, input }: CreateAssistant,
  facts: Facts,
): Decision<AssistantEvent, AssistantAnswer> | Rejection {
  if (state) throw new Error(`assistant ${id} was given out twice.`);
  const settings = settingsOf(input);
  const fault = settingsFault(null, settings, facts);
  if (fault) return fault;
  return {
    events: [{ type: 'AssistantCreated', data: { id, uuid, settings } }],
    claims: numberClaims({ accountId, id }, null, settings),
    onClaimTaken: numberTaken,
    reply: {
      message: 'Assistant created successfully',
      data: summaryOf({ ...settings, id, uuid, status: 'inactive', deleted_at: null }),
    },
  };
}

/** The assistant as answers to commands show it. */
export const summaryOf = ({
  id,
  uuid,
  name,
  status,
  type,
  mode,
}: LiveAssistant): AssistantAnswer['data'] => ({
  id,
  uuid,
  name,
  status,
  type,
  mode,
});
