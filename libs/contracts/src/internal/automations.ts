import { z } from 'zod';
import { defineInternal } from './internal-message.ts';

/**
 * A request to an automation's own address. Rejected with `not_found` for an unknown token, with `unauthorized` for a
 * missing or wrong signature, with `malformed` for a body that is not what it says, with `unsupported_media_type` or
 * `payload_too_large` for one that cannot be unpacked, with `invalid` for one that is nested too deep. Requests with the
 * same `webhook-id` or `idempotency-key` start one run; `run_id` is null when the filter does not match, or the
 * automation is turned off.
 */
export const receiveAutomationWebhook = defineInternal({
  name: 'receive-automation-webhook',
  kind: 'command',
  service: 'automations',
  input: z.object({
    token: z.string().max(128),
    /** Names in lower case. */
    headers: z.record(z.string(), z.string()),
    /** As it arrived: what it is signed over, packed as `content-encoding` says. */
    body_base64: z.string(),
  }),
  output: z.object({
    received: z.literal(true),
    run_id: z
      .uuid()
      .nullable()
      .describe('For `GET /api/user/automate/flows/{id}/runs`; null where nothing starts.'),
  }),
});
