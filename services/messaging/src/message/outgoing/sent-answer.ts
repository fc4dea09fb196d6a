import type { OperationSuccess, sendChatAppTemplate } from '@parley/contracts';
import type { OutgoingMessage } from '../message.ts';

/** The answer of a send that the platform has taken. */
export const sentAnswer = (
  { start }: OutgoingMessage,
  messageSid: string,
  status: string,
): OperationSuccess<typeof sendChatAppTemplate> => ({
  success: true,
  conversation_id: start.conversation_id,
  message_id: start.message_id,
  chatapp_message_id: start.chatapp_message_id,
  message_sid: messageSid,
  status,
  conversation_uuid: start.conversation_uuid,
});
