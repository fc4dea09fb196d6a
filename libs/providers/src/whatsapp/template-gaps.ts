import type { ChatTemplate, Placeholder, TemplateMessage } from '../chat-platform.ts';
import { unfillable } from '../chat-platform.ts';
import { fileNameIn } from './file-name.ts';

/** The parts of a template's component that tell which placeholders it has. */
export interface TemplateComponent {
  readonly type: string;
  readonly format?: string | undefined;
  readonly text?: string | undefined;
  readonly buttons?: readonly { readonly type: string; readonly url?: string | undefined }[] | undefined;
}

/** A placeholder in a text: `{{1}}`, or `{{ name }}`. */
export const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** The keys of a text's placeholders, each once, in order of appearance. */
export const keysIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(placeholder)].map(([, key = '']) => key)),
];

const media = ['image', 'video', 'document'] as const;
/** Buttons that take a text, and how it is handed over: a link's end, a coupon's code, a form's token. */
const fillableButtons = new Map<string, (value: string) => object>([
  ['url', (text) => ({ type: 'text', text })],
  ['copy_code', (coupon_code) => ({ type: 'coupon_code', coupon_code })],
  ['flow', (flow_token) => ({ type: 'action', action: { flow_token } })],
]);
/** Buttons that need parameters which are no text; Graph refuses a message without them. */
const wantingButtons = new Set(['mpm', 'order_details', 'spm']);
const wantingComponents = new Set(['carousel', 'limited_time_offer']);

/**
 * The placeholders outside the body. Their keys have a colon, unlike those of the body: `header:1`, `image:header`,
 * `url:0`, `copy_code:0`, `flow:0`. The button of an authentication template is none: it repeats the code of the body.
 */
export function gapsBesideBody(
  components: readonly TemplateComponent[],
  category: ChatTemplate['category'],
): readonly Placeholder[] {
  return components.flatMap((component) => {
    const type = component.type.toLowerCase();
    if (type === 'header') return headerGaps(component);
    if (type === 'buttons') return category === 'authentication' ? [] : buttonGaps(component);
    return wantingComponents.has(type) ? [unfillable(type)] : [];
  });
}

function headerGaps({ format = 'TEXT', text = '' }: TemplateComponent): readonly Placeholder[] {
  if (format.toUpperCase() === 'TEXT')
    return keysIn(text).map((key) => ({ key: `header:${key}`, name: /^\d+$/.test(key) ? 'header' : key }));
  const kind = media.find((known) => known === format.toLowerCase());
  return [
    kind
      ? { key: `${kind}:header`, name: `header_${kind}_link` }
      : unfillable(`header_${format.toLowerCase()}`),
  ];
}

const buttonGaps = ({ buttons = [] }: TemplateComponent): readonly Placeholder[] =>
  buttons.flatMap((button, index) => {
    const type = button.type.toLowerCase();
    if (type === 'url' && keysIn(button.url ?? '').length === 0) return [];
    if (fillableButtons.has(type)) return [{ key: `${type}:${index}`, name: `button_${index + 1}` }];
    return wantingButtons.has(type) ? [unfillable(`button_${type}`)] : [];
  });

/** The `components` of a template message as Graph wants them: the values of its placeholders by their place. */
export function componentsOf({ category, format, parameters }: TemplateMessage): readonly object[] {
  const text = (key: string, value: string) => ({
    type: 'text',
    text: value,
    ...(format === 'named' && { parameter_name: key }),
  });
  const placed = parameters.map(({ key, value }) => {
    const [place = '', inPlace] = key.split(':');
    return { place: inPlace === undefined ? 'body' : place, key: inPlace ?? key, value };
  });
  const header = placed.flatMap(({ place, key, value }) => {
    if (place === 'header') return [text(key, value)];
    return media.some((kind) => kind === place) ? [{ type: place, [place]: mediaOf(place, value) }] : [];
  });
  const body = placed.flatMap(({ place, key, value }) => (place === 'body' ? [text(key, value)] : []));
  const [code] = body;
  return [
    ...(header.length > 0 ? [{ type: 'header', parameters: header }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
    ...placed.flatMap(({ place, key, value }) => buttonOf(place, key, value)),
    ...(category === 'authentication' && code ? buttonOf('url', '0', code.text) : []),
  ];
}

function mediaOf(kind: string, link: string): object {
  const filename = kind === 'document' ? fileNameIn(link) : undefined;
  return { link, ...(filename !== undefined && { filename }) };
}

function buttonOf(sub_type: string, index: string, value: string): readonly object[] {
  const parameter = fillableButtons.get(sub_type)?.(value);
  return parameter ? [{ type: 'button', sub_type, index, parameters: [parameter] }] : [];
}
