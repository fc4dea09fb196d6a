import { z } from 'zod';
import { isHidden } from './contact.ts';

const text = z.object({ body: z.string().min(1).max(4096) });

const media = z.looseObject({ link: z.url() });
const parameter = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('text'),
    text: z.string().min(1).max(1024),
    parameter_name: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('coupon_code'), coupon_code: z.string().min(1) }),
  z.looseObject({ type: z.literal('action'), action: z.looseObject({ flow_token: z.string().optional() }) }),
  z.looseObject({ type: z.literal('image'), image: media }),
  z.looseObject({ type: z.literal('video'), video: media }),
  z.looseObject({ type: z.literal('document'), document: media }),
]);

const component = z.looseObject({
  type: z.string(),
  sub_type: z.string().optional(),
  index: z.coerce.number().optional(),
  parameters: z.array(parameter).optional(),
});

const template = z.object({
  name: z.string(),
  language: z.looseObject({ code: z.string() }),
  components: z.array(component).optional(),
});
export type TemplateContent = z.output<typeof template>;

const permissionRequest = z.object({
  type: z.literal('call_permission_request'),
  action: z.object({ name: z.literal('call_permission_request') }),
  body: z.object({ text: z.string().min(1).max(1024) }).optional(),
});

const addressed = {
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual').optional(),
  /** Where both are given, `to` is used and `recipient` ignored. */
  to: z
    .string()
    .regex(/^\+?[1-9]\d{6,14}$/)
    .optional(),
  recipient: z.string().refine(isHidden).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
};

/** What can be sent: text, a template, or the question whether one may call. */
export const sendRequest = z.discriminatedUnion('type', [
  z.object({ ...addressed, type: z.literal('text'), text }),
  z.object({ ...addressed, type: z.literal('template'), template }),
  z.object({ ...addressed, type: z.literal('interactive'), interactive: permissionRequest }),
]);
export type SendRequest = z.output<typeof sendRequest>;

/** Marks a message of a customer as read. */
export const readReceipt = z.looseObject({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string(),
});
