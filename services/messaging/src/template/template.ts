import type { TemplateEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** The parts of a template that the chat platform may change while it stays the same template. */
export interface TemplateContent {
  readonly category: 'marketing' | 'utility' | 'authentication';
  readonly kind: 'message' | 'voice_call_request';
  /** Its placeholders are written `{{1}}`, `{{2}}`, … */
  readonly bodyText: string;
  readonly format: 'positional' | 'named';
  /** Those of the body in its order, then those of header and buttons: the platform's key, and the name for people. */
  readonly placeholders: readonly { readonly key: string; readonly name: string }[];
}

/** A message template of a sender. `null` until it is found at the platform, and once it is gone from there. */
export type Template =
  | (TemplateContent & {
      readonly id: number;
      readonly senderId: number;
      readonly platformId: string;
      readonly name: string;
      readonly language: string;
      readonly status: 'approved' | 'pending' | 'rejected';
    })
  | null;

export const templateCategory = 'template';
export const templateStream = (id: number): string => `${templateCategory}-${id}`;

/** A template as its history shows it, in the API's names. */
export const showTemplate = (state: Template) =>
  state && {
    id: state.id,
    sender_id: state.senderId,
    name: state.name,
    language: state.language,
    category: state.category,
    status: state.status,
    body_text: state.bodyText,
    variables: state.placeholders.map(({ name }) => name),
    kind: state.kind,
  };

export const template: Fold<Template, TemplateEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'TemplateAdded': {
        const { data } = event;
        return {
          id: data.template_id,
          senderId: data.sender_id,
          platformId: data.platform_template_id,
          name: data.name,
          language: data.language,
          status: data.status,
          ...contentOf(data),
        };
      }
      case 'TemplateStatusChanged':
        return state && { ...state, status: event.data.status };
      case 'TemplateContentChanged':
        return state && { ...state, ...contentOf(event.data) };
      case 'TemplateRemoved':
        return null;
      default:
        return state;
    }
  },
};

type ContentData = Extract<TemplateEvent, { type: 'TemplateContentChanged' }>['data'];

const contentOf = ({ category, kind, body_text, format, placeholders }: ContentData): TemplateContent => ({
  category,
  kind,
  bodyText: body_text,
  format,
  placeholders,
});

export const toContentData = (content: TemplateContent): ContentData => ({
  category: content.category,
  kind: content.kind,
  body_text: content.bodyText,
  format: content.format,
  placeholders: content.placeholders.map(({ key, name }) => ({ key, name })),
});
