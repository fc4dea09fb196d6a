import { type Rejection, reject } from '@parley/contracts';

interface Refusal {
  readonly code: string | null;
  readonly reason: string;
}

/** Rejection of a message that was certainly not sent: the platform refused it, or could not be reached. */
export const sendFailed = (kind: 'rejected' | 'unavailable', { code, reason }: Refusal): Rejection =>
  kind === 'unavailable'
    ? reject('unavailable', { retryAfterSeconds: 5 })
    : reject('send_failed', {
        message: `The chat platform rejected the message: ${reason}`,
        details: { outcome: 'not_sent', provider_code: code },
      });

/** Rejection of a message that may have been sent: repeating the request under another key may write twice. */
export const outcomeUnknown = (message: {
  readonly message_id: number;
  readonly conversation_id: number;
  readonly conversation_uuid: string;
}): Rejection =>
  reject('send_failed', {
    message: 'The chat platform gave no usable answer. The message may have been sent; it is not sent again.',
    details: {
      outcome: 'unknown',
      message_id: message.message_id,
      conversation_id: message.conversation_id,
      conversation_uuid: message.conversation_uuid,
    },
  });
