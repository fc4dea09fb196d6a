import { z } from 'zod';

/** Chat-app sender (service-api, section 2), with who answers on it. */
export const senderResource = z
  .object({
    id: z.int(),
    phone_number: z.string(),
    display_name: z.string().describe('What recipients see.'),
    status: z.enum(['online', 'offline']).describe('Only from one that is online messages are sent.'),
    quality_rating: z
      .enum(['GREEN', 'YELLOW', 'RED'])
      .describe('What the platform says; from a `RED` one it may send less.'),
    messaging_limit: z
      .int()
      .nullable()
      .describe('How many recipients may be written to first within 24 hours; null for no limit.'),
    messaging_limit_formatted: z.string().describe('The same for people.'),
    voice_calling_enabled: z.boolean().describe('Whether calls can be placed from it.'),
    assistant_id: z.int().nullable().describe('Who answers on it; null for nobody.'),
  })
  .meta({ id: 'Sender' });

/** Chat-app template (service-api, section 2). */
export const templateResource = z
  .object({
    id: z.int(),
    name: z.string(),
    language: z.string().describe('Such as `en` or `pt_BR`.'),
    category: z.enum(['marketing', 'utility', 'authentication']),
    status: z
      .enum(['approved', 'pending', 'rejected'])
      .describe('What the platform says; only approved ones are sent.'),
    body_text: z.string().describe('With `{{1}}`, `{{2}}`, … for what is filled in.'),
    variables: z
      .array(z.string())
      .describe(
        'Names of the placeholders: those of the body in its order, then those of header and buttons.',
      ),
    has_variables: z.boolean().describe('Whether anything is to be filled in.'),
    kind: z
      .enum(['message', 'voice_call_request'])
      .describe('`voice_call_request`: asks the customer whether we may call.'),
  })
  .meta({ id: 'Template' });
