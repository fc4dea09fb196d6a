import { z } from 'zod';

/** Chat-app sender (service-api, section 2), with who answers on it. */
export const senderResource = z.object({
  id: z.int(),
  phone_number: z.string(),
  display_name: z.string(),
  status: z.enum(['online', 'offline']),
  quality_rating: z.enum(['GREEN', 'YELLOW', 'RED']),
  messaging_limit: z.int().nullable(),
  messaging_limit_formatted: z.string(),
  voice_calling_enabled: z.boolean(),
  assistant_id: z.int().nullable(),
});

/** Chat-app template (service-api, section 2). */
export const templateResource = z.object({
  id: z.int(),
  name: z.string(),
  language: z.string(),
  category: z.enum(['marketing', 'utility', 'authentication']),
  status: z.enum(['approved', 'pending', 'rejected']),
  body_text: z.string(),
  variables: z
    .array(z.string())
    .describe('Names of the placeholders: those of the body in its order, then those of header and buttons.'),
  has_variables: z.boolean(),
  kind: z
    .enum(['message', 'voice_call_request'])
    .describe('`voice_call_request`: asks the customer whether we may call.'),
});
