import { isRead } from '@parley/providers';
import type { KnownTemplate } from '../views/template-queries.ts';

/** Whether a customer may be asked for call permission with the template. */
export const isVoiceTemplate = ({ kind, status }: KnownTemplate): boolean =>
  kind === 'voice_call_request' && status === 'approved';

/**
 * The names of placeholders that an ask cannot fill, as it has only the customer's name: links to pictures or pages,
 * for example. The platform refuses incomplete messages.
 */
export const wantsBesideName = ({ placeholders }: Pick<KnownTemplate, 'placeholders'>): readonly string[] =>
  placeholders.filter((placeholder) => !isRead(placeholder)).map(({ name }) => name);

/** The newest template that an ask can fill; if none, the newest, whose placeholders tell why. */
export const voiceTemplateAmong = (newestFirst: readonly KnownTemplate[]): KnownTemplate | undefined =>
  newestFirst.find((template) => wantsBesideName(template).length === 0) ?? newestFirst[0];
