import { z } from 'zod';

/** The ad or post by which a contact came. Of one who was erased nothing is left in it. */
const messageReferral = z.object({
  source_type: z.string().optional().describe('`ad` or `post`.'),
  source_id: z.string().optional(),
  source_url: z.string().optional(),
  headline: z.string().optional(),
  body: z.string().optional(),
  welcome_message: z.string().optional().describe('With which the chat greeted the contact.'),
  ctwa_clid: z
    .string()
    .optional()
    .describe("The chat platform's id of the click, for what is told it of sales."),
});
export type MessageReferral = z.output<typeof messageReferral>;

/** What a message of a contact goes back to; null for what it does not, and where nobody noted it. */
export const messageReferences = {
  in_reply_to_sid: z
    .string()
    .nullable()
    .describe(
      "The chat platform's id of the message that it quotes, answers by a button, reacts to, corrects or takes back.",
    ),
  is_forwarded: z.boolean().nullable(),
  payload: z
    .string()
    .nullable()
    .describe(
      'What the business has given the button, or the entry of the list, that the contact chose, or the form that they filled in (`flow_token`).',
    ),
  referral: messageReferral.nullable().describe('The ad or post by which the contact came.'),
};

export type MessageReferences = z.output<z.ZodObject<typeof messageReferences>>;

/** Of what goes back to nothing that is known. */
export const noReferences = {
  in_reply_to_sid: null,
  is_forwarded: null,
  payload: null,
  referral: null,
} satisfies MessageReferences;
