import { z } from 'zod';
import { pathId, recipientName, text, textUpTo } from '../input/text.ts';
import { knownVariables } from '../input/variables.ts';

/** Checked by the service that is asked, which has a code of its own for what is no phone number. */
const phone = textUpTo(64);
/** Templates often yield digits as text. */
const id = pathId;
const templateValue = z.union([textUpTo(1024, 0), z.number().transform(String)]);

/** Header names that credentials travel in: those belong into a connection. */
const credentialHeaders = /^(authorization|proxy-authorization|cookie)$/i;
const headers = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/)
    .refine((name) => !credentialHeaders.test(name), {
      error: 'Credentials belong into a connection, not into the :attribute field.',
    }),
  textUpTo(4096, 0).regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/),
);

/** What each action takes, its templates filled in. */
export const automationActionInputs = {
  'chatapp.send_template': z.strictObject({
    template_id: id(),
    recipient_phone: phone,
    recipient_name: recipientName(),
    variables: z
      .record(text(), templateValue)
      .nullish()
      .describe('By position (`"1"`, `"2"`, …) or by the template\'s own names.'),
  }),
  'chatapp.request_call_permission': z.strictObject({
    recipient_phone: phone,
    recipient_name: recipientName(),
    template_id: id().nullish(),
  }),
  'lead.add': z.strictObject({
    campaign_id: id(),
    phone_number: phone,
    variables: knownVariables().nullish(),
    allow_dupplicate: z.boolean().nullish().describe("Spelled as in the API's own operation."),
  }),
  'assistant.set_label': z.strictObject({ assistant_id: id(), label_id: id() }),
  'assistant.set_folder': z.strictObject({
    assistant_id: id(),
    folder_id: id().nullable().describe('Null takes the assistant out of its folder.'),
  }),
  'conversation.enable_ai': z.strictObject({ conversation_uuid: z.uuid().toLowerCase() }),
  'http.request': z
    .strictObject({
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']),
      url: textUpTo(4096),
      headers: headers.optional(),
      query: z.record(text(), z.union([text(), z.number(), z.boolean()])).optional(),
      json: z.json().optional().describe('At most one of the two bodies.'),
      text: text().optional(),
    })
    .refine(({ json, text: plain }) => json === undefined || plain === undefined, {
      path: ['text'],
      error: 'The :attribute field must be absent when json is given.',
    }),
  'data.map': z.record(textUpTo(255), z.json()),
} as const;

export type AutomationActionType = keyof typeof automationActionInputs;
export const automationActionTypes = Object.keys(automationActionInputs) as readonly AutomationActionType[];
export type AutomationActionInput<T extends AutomationActionType> = z.output<
  (typeof automationActionInputs)[T]
>;

/** Kinds of connections, and what each action uses; `none` where none is possible. */
const httpConnectionKinds = ['http_bearer', 'http_header', 'http_basic'] as const;
export const automationActionConnections = {
  'chatapp.send_template': { need: 'required', kinds: ['chatapp_sender'] },
  'chatapp.request_call_permission': { need: 'required', kinds: ['chatapp_sender'] },
  'lead.add': { need: 'none', kinds: [] },
  'assistant.set_label': { need: 'none', kinds: [] },
  'assistant.set_folder': { need: 'none', kinds: [] },
  'conversation.enable_ai': { need: 'none', kinds: [] },
  'http.request': { need: 'optional', kinds: httpConnectionKinds },
  'data.map': { need: 'none', kinds: [] },
} as const satisfies Record<
  AutomationActionType,
  { readonly need: 'required' | 'optional' | 'none'; readonly kinds: readonly string[] }
>;
