import { dropUnstorable, type MessageReferences, type MessageReferral } from '@parley/contracts';
import { parseJson } from '@parley/process-kit';
import { z } from 'zod';

const words = z.string().transform(dropUnstorable).optional().catch(undefined);

const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** What a message is written to: another one, a product of the catalogue, or both; or that it comes from elsewhere. */
export const context = z.object({
  id: words,
  forwarded: optional(z.boolean()),
  frequently_forwarded: optional(z.boolean()),
  referred_product: optional(z.object({ product_retailer_id: z.string() })),
});

/** The ad or post that the customer has tapped. */
const referral = z.object({
  source_type: words,
  source_id: words,
  source_url: words,
  headline: words,
  body: words,
  welcome_message: optional(z.object({ text: words })),
  ctwa_clid: words,
});

/** What the business has given a form (`flow_token`), which is among its answers. */
function tokenOf(answers: string): string | undefined {
  const token = z.object({ flow_token: words }).safeParse(parseJson(answers)).data?.flow_token;
  return token === unusedToken ? undefined : token;
}

/** The platform's own token, where the business has given none. */
const unusedToken = 'unused';

/** Of a message, all that says what it goes back to. */
const reference = z.object({
  context: optional(context),
  reaction: optional(z.object({ message_id: words })),
  edit: optional(z.object({ original_message_id: words })),
  revoke: optional(z.object({ original_message_id: words })),
  button: optional(z.object({ payload: words })),
  interactive: optional(
    z.object({
      button_reply: optional(z.object({ id: words })),
      list_reply: optional(z.object({ id: words })),
      nfm_reply: optional(z.object({ response_json: z.string().transform(tokenOf) })),
    }),
  ),
  referral: optional(referral),
});

/** What a message of a customer goes back to, whatever its kind. */
export function referencesOf(message: unknown): MessageReferences {
  const { context, reaction, edit, revoke, button, interactive, referral } =
    reference.safeParse(message).data ?? {};
  const original = reaction?.message_id ?? edit?.original_message_id ?? revoke?.original_message_id;
  return {
    in_reply_to_sid: context?.id || original || null,
    is_forwarded: context?.forwarded === true || context?.frequently_forwarded === true,
    payload:
      button?.payload ??
      interactive?.button_reply?.id ??
      interactive?.list_reply?.id ??
      interactive?.nfm_reply?.response_json ??
      null,
    referral: referral ? referralOf(referral) : null,
  };
}

function referralOf({ welcome_message, ...told }: z.output<typeof referral>): MessageReferral | null {
  const known = Object.entries({ ...told, welcome_message: welcome_message?.text }).filter(
    ([, value]) => value,
  );
  return known.length > 0 ? Object.fromEntries(known) : null;
}
