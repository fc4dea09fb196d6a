import { z } from 'zod';
import { bodyId } from '../input/text.ts';
import { defineInternal } from './internal-message.ts';

/** Which assistants of the asking account have which number: the inbound ones answer on it, outbound ones call from it. */
export const listNumberAssignments = defineInternal({
  name: 'list-number-assignments',
  kind: 'query',
  service: 'assistants',
  input: z.object({ type: z.enum(['inbound', 'outbound']).default('inbound') }),
  output: z.object({
    data: z.array(
      z.object({
        phone_number_id: z.int(),
        assistant_id: z.int(),
        status: z.enum(['active', 'inactive']),
      }),
    ),
  }),
});

/** Takes a number that the asking account has no more from its assistants; harmless when none has it. */
export const forgetPhoneNumber = defineInternal({
  name: 'forget-phone-number',
  kind: 'command',
  service: 'assistants',
  input: z.object({ phone_number_id: bodyId() }),
  output: z.object({ assistants: z.int() }),
});
