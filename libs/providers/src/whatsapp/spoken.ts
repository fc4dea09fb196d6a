import { dropUnstorable } from '@parley/contracts';
import { z } from 'zod';
import type { context } from './references.ts';

/** A list whose unreadable elements are left out. */
const readableOf = <T extends z.ZodType>(element: T) =>
  z
    .array(element.optional().catch(undefined))
    .transform((elements) => elements.filter((each) => each !== undefined));

/** A picture, a video or a file, perhaps with a caption. */
const media = z.object({ caption: z.string().optional() }).optional().catch(undefined);

/** The kinds of content that a customer may also edit within minutes. */
const written = {
  text: z.object({ body: z.string() }).optional(),
  image: media,
  video: media,
  document: media,
};

const location = z.object({
  latitude: z.number(),
  longitude: z.number(),
  name: z.string().optional(),
  address: z.string().optional(),
});

/** A contact card that a customer sends. */
const acquaintance = z.object({
  name: z.object({ formatted_name: z.string() }),
  phones: z.array(z.object({ phone: z.string() })).catch([]),
});

/** A product of the business's catalogue. */
const product = z.object({
  product_retailer_id: z.string(),
  quantity: z.coerce.number(),
  item_price: z.coerce.number().optional(),
  currency: z.string().optional(),
});

/** An order; `text` is what the customer wrote with it, empty if nothing. */
const order = z.object({ text: z.string().optional(), product_items: readableOf(product).catch([]) });

/** A form that a customer filled in: its fields as JSON text, and `body`, the platform's own label for it. */
const form = z.object({ response_json: z.string(), body: z.string().optional() });

/** A customer's answers to interactive messages: a button, a list, or a form. */
export const answered = {
  button_reply: z.object({ title: z.string() }).optional(),
  list_reply: z.object({ title: z.string() }).optional(),
  nfm_reply: form.optional().catch(undefined),
};

/** All parts of a message that contain words or can be put into words. */
export const spoken = {
  ...written,
  edit: z
    .object({ message: z.object(written) })
    .optional()
    .catch(undefined),
  button: z.object({ text: z.string() }).optional(),
  order: order.optional().catch(undefined),
  location: location.optional().catch(undefined),
  contacts: readableOf(acquaintance).optional().catch(undefined),
  /** A reaction to a message; without an emoji it takes one back. */
  reaction: z.object({ emoji: z.string().optional() }).optional().catch(undefined),
};

type Spoken = z.output<z.ZodObject<typeof spoken>> & {
  readonly interactive?: z.output<z.ZodObject<typeof answered>> | undefined;
  readonly context?: z.output<typeof context> | undefined;
};

/** Of a message that the platform cannot pass on: what it is, where that is told. */
export const unsupported = z
  .object({ type: z.string().regex(/^[a-z_]{1,64}$/) })
  .optional()
  .catch(undefined);

/** What the platform calls a message that it cannot pass on for reasons of its own: that says nothing of what it is. */
const untold = 'errors';

/** What a message is; `unsupported` where the platform can pass it on no more than it can say what it is. */
export const kindOf = (message: {
  readonly type: string;
  readonly unsupported?: z.output<typeof unsupported>;
}): string => {
  const told = message.type === 'unsupported' ? message.unsupported?.type : undefined;
  return dropUnstorable(told === undefined || told === untold ? message.type : told);
};

/** The message as text; `null` when it has no words, and nothing that can be put into words. */
export function textOf({ context, ...said }: Spoken): string | null {
  const words = wordsOf(said);
  const product = context?.referred_product?.product_retailer_id;
  return readable(product ? linesOf([words, product]) : words);
}

function wordsOf({
  button,
  interactive,
  order,
  location,
  contacts,
  reaction,
  edit,
  ...received
}: Spoken): string | undefined {
  const { text, image, video, document } = edit?.message ?? received;
  return (
    text?.body ??
    button?.text ??
    interactive?.button_reply?.title ??
    interactive?.list_reply?.title ??
    (image ?? video ?? document)?.caption ??
    (reaction?.emoji || undefined) ??
    linesOf([
      ...(interactive?.nfm_reply ? linesOfForm(interactive.nfm_reply) : []),
      ...(order ? [order.text, ...order.product_items.map(lineOfProduct)] : []),
      ...(location ? [location.name, location.address, `${location.latitude}, ${location.longitude}`] : []),
      ...(contacts?.map(lineOfAcquaintance) ?? []),
    ])
  );
}

/** The text without what Postgres cannot store; `null` for none. */
export const readable = (text: string | undefined): string | null =>
  text === undefined ? null : dropUnstorable(text);

const linesOf = (lines: readonly (string | undefined)[]): string | undefined =>
  lines.filter(Boolean).join('\n') || undefined;

/**
 * One line for each field; the whole text when it is no JSON object. `flow_token` is left out: it is the business's own
 * mark of the form, not an answer.
 */
function linesOfForm({ response_json, body }: z.output<typeof form>): readonly (string | undefined)[] {
  try {
    const { flow_token: _, ...fields } = fieldsOf.parse(JSON.parse(response_json));
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${worded(value)}`);
    return lines.length > 0 ? lines : [body];
  } catch {
    return [response_json || body];
  }
}

const fieldsOf = z.record(z.string(), z.unknown());
const worded = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const lineOfProduct = (item: z.output<typeof product>): string => {
  const { product_retailer_id, quantity, item_price, currency = '' } = item;
  const price = item_price === undefined ? '' : ` (${`${item_price} ${currency}`.trim()})`;
  return `${quantity} × ${product_retailer_id}${price}`;
};

const lineOfAcquaintance = ({ name, phones }: z.output<typeof acquaintance>): string =>
  [name.formatted_name, ...phones.map(({ phone }) => phone)].join(', ');
