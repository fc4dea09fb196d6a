import { z } from 'zod';
import { bodyId } from '../input/text.ts';
import { defineInternal } from './internal-message.ts';

/** Tags an assistant beside the labels it has. Rejected with `not_found`, or `invalid` on `label_ids`. */
export const labelAssistant = defineInternal({
  name: 'label-assistant',
  kind: 'command',
  service: 'assistants',
  input: z.object({ assistant_id: bodyId(), label_id: bodyId() }),
  output: z.object({ message: z.string() }),
});

/** A lead and its campaign as they are now; null for what is gone or another account's. */
export const findLead = defineInternal({
  name: 'find-lead',
  kind: 'query',
  service: 'assistants',
  input: z.object({ lead_id: z.int().positive().nullable(), campaign_id: z.int().positive().nullable() }),
  output: z.object({
    lead: z
      .object({ id: z.int(), phone_number: z.string(), variables: z.record(z.string(), z.json()) })
      .nullable(),
    campaign: z.object({ id: z.int(), name: z.string() }).nullable(),
  }),
});
