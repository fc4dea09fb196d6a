import { z } from 'zod';
import { bodyId, textUpTo } from '../input/text.ts';
import { knownVariables } from '../input/variables.ts';
import { defineInternal } from './internal-message.ts';

/**
 * What running campaigns ask of the services that reach people (a chat-app campaign sends templates by the operation that
 * customers use, `send-chatapp-template`). Each is effective once by its command id, which is derived from the lead and
 * the attempt. A call is answered as soon as the intent is on record. An expected "no" ends the attempt as failed; one
 * with `retryAfterSeconds` is asked again after that time, and one with `outcome: 'unknown'` in its `details`, or
 * `internal`, for a quarter of an hour under the same command id: its provider may yet tell. What it tells within a day
 * after that is found by the command's id.
 */
const reachedFor = {
  campaign_id: bodyId(),
  lead_id: bodyId(),
  /** In E.164. */
  phone_number: textUpTo(32),
  variables: knownVariables(),
};
/** What the other service calls it, for people who follow a lead's history. */
const answer = z.object({ reference: textUpTo(255) });

/** `CallEnded` with the `lead_id` says later what came of it; `CallNotPlaced` before it, whether the same may be asked again. */
export const placeCall = defineInternal({
  name: 'place-call',
  kind: 'command',
  service: 'telephony',
  input: z.object({ ...reachedFor, assistant_id: bodyId() }),
  output: answer,
});

/** Answered when the carrier has taken it; its `reference` is the SMS's id. */
export const sendSms = defineInternal({
  name: 'send-sms',
  kind: 'command',
  service: 'telephony',
  // What may have been sent is asked about with what its text has become meanwhile.
  input: z.object({
    ...reachedFor,
    body: textUpTo(8_000, 0),
    /** When the campaign's window closes: what is still on its way then is not to be sent. */
    not_after: z.iso.datetime().nullish(),
  }),
  output: answer,
});

/** What was sent for a command of the asking account, however late its provider told so; else not found. */
const sentFor = { kind: 'query', input: z.object({ command_id: z.uuid() }), output: answer } as const;

export const findSentMessage = defineInternal({
  ...sentFor,
  name: 'find-sent-message',
  service: 'messaging',
});

export const findSentSms = defineInternal({ ...sentFor, name: 'find-sent-sms', service: 'telephony' });

/** Whether a campaign of the asking account may send this template from this sender. */
export const checkTemplate = defineInternal({
  name: 'check-template',
  kind: 'query',
  service: 'messaging',
  input: z.object({ sender_id: bodyId(), template_id: bodyId() }),
  output: z.object({
    outcome: z.enum(['ok', 'sender_not_found', 'template_not_found', 'template_not_approved']),
  }),
});

/**
 * What stands against the present attempt of a lead of the asking account, in words; null where nothing does. A call may wait
 * for its turn after it was asked for, while its campaign is stopped or its lead deleted.
 */
export const findObstacle = defineInternal({
  name: 'find-obstacle-to-attempt',
  kind: 'query',
  service: 'assistants',
  input: z.object({ lead_id: bodyId() }),
  output: z.object({ obstacle: z.string().nullable() }),
});
