import { dropUnstorable } from '@parley/contracts';
import { z } from 'zod';
import type { OutgoingMessage } from '../chat-platform.ts';
import { componentsOf } from './template-gaps.ts';

/** The body of `POST /{phone-number-id}/messages`. */
export const toMessageBody = ({ to, reference, content }: OutgoingMessage): object => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  ...(to.startsWith('+') ? { to: to.slice(1) } : { recipient: to }),
  biz_opaque_callback_data: reference,
  ...contentOf(content),
});

function contentOf(content: OutgoingMessage['content']): object {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { body: content.body } };
    case 'template': {
      const components = componentsOf(content);
      return {
        type: 'template',
        template: {
          name: content.name,
          language: { code: content.language },
          ...(components.length > 0 && { components }),
        },
      };
    }
    default:
      return content satisfies never;
  }
}

const messageId = z.string().transform(dropUnstorable).pipe(z.string().min(1));
/** The platform's answer to a send: the first message's id is the sent one's. */
export const sentAnswer = z.object({ messages: z.tuple([z.object({ id: messageId })], z.unknown()) });
