import { type OperationDefinition, requestCallPermission, sendChatAppTemplate } from '@parley/contracts';
import { NIL, v5 as uuidv5 } from 'uuid';
import { type ActionContext, type ActionModule, type ActionOutcome, defineAction } from './action.ts';
import { type Answer, type AskService, waitForRateLimit } from './ask-service.ts';
import { failureOf, rateLimited } from './classify.ts';

/** How many keys of one step are passed over because their message certainly failed: more than any step comes to. */
const maxFailedSends = 100;

/** Sends a template message over the chat platform, from the sender of the step's connection. */
export const sendTemplate = (ask: AskService): ActionModule =>
  defineAction({
    type: 'chatapp.send_template',
    effect: 'keyed',
    async run(input, context) {
      const waiting = await admitted(ask, sendChatAppTemplate, context);
      if (waiting) return waiting;
      const answer = await send(ask, { ...input, sender_id: senderOf(context) }, context);
      if (answer.kind !== 'ok') return failureOf(answer);
      const { success: _, ...output } = sendChatAppTemplate.success.schema.parse(answer.body);
      return { ok: true, output, providerRef: output.message_sid };
    },
    dryRun: () => ({
      conversation_id: 0,
      conversation_uuid: NIL,
      message_id: 0,
      chatapp_message_id: 0,
      message_sid: 'dry-run',
      status: 'queued',
    }),
  });

/**
 * A key sends at most one message, whatever became of it. Where an earlier attempt is known to have sent nothing
 * (`details.earlier`), the next key is used, derived from the one before: every process takes the same keys in turn, so
 * at most one message goes out.
 */
async function send(ask: AskService, input: object, context: ActionContext): Promise<Answer> {
  let commandId = context.effectKey;
  for (let failed = 0; ; failed += 1) {
    const answer = await ask(sendChatAppTemplate, input, context, commandId);
    const isEarlierFailure = answer.kind === 'rejected' && answer.rejection.details?.earlier === true;
    if (!isEarlierFailure || failed >= maxFailedSends) return answer;
    commandId = uuidv5('again', commandId);
  }
}

/** Asks a customer over the chat platform for permission to call them. */
export const requestPermission = (ask: AskService): ActionModule =>
  defineAction({
    type: 'chatapp.request_call_permission',
    effect: 'keyed',
    async run(input, context) {
      const waiting = await admitted(ask, requestCallPermission, context);
      if (waiting) return waiting;
      const answer = await ask(requestCallPermission, { ...input, sender_id: senderOf(context) }, context);
      if (answer.kind === 'rejected' && answer.rejection.code === 'not_found')
        return failureOf({ ...answer, rejection: { ...answer.rejection, code: 'sender_not_found' } });
      if (answer.kind !== 'ok') return failureOf(answer);
      const { success: _, ...output } = requestCallPermission.success.schema.parse(answer.body);
      return { ok: true, output };
    },
    dryRun: ({ recipient_phone }) => ({
      sender_id: 0,
      customer_phone: recipient_phone,
      conversation_id: null,
      status: 'pending',
      can_call: false,
      can_request: false,
      session_open: true,
      expires_at: null,
      requested_at: null,
    }),
  });

/** Why the step has to wait for the account's rate limit; undefined when it may go on. */
async function admitted(
  ask: AskService,
  operation: OperationDefinition,
  context: ActionContext,
): Promise<Extract<ActionOutcome, { ok: false }> | undefined> {
  const wait = await waitForRateLimit(ask, operation, context);
  // Whatever is wrong with the limits, nothing was sent and it may pass: the step tries again, as far as its attempts
  // go.
  if (typeof wait !== 'number') return { ...failureOf(wait), transient: true, definite: true };
  return wait > 0 ? rateLimited(wait) : undefined;
}

const senderOf = ({ connection }: ActionContext): number => Number(connection?.id);
