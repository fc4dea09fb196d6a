import { isRead } from '@parley/providers';
import type { KnownTemplate } from '../views/template-queries.ts';

/** Whether it may ask for call permission. */
export const isVoiceTemplate = ({ kind, status }: KnownTemplate): boolean =>
  kind === 'voice_call_request' && status === 'approved';

/** What it wants beside text to read; an ask has only the customer's name, and the platform refuses what is incomplete. */
export const wantsBesideName = ({ placeholders }: Pick<KnownTemplate, 'placeholders'>): readonly string[] =>
  placeholders.filter((placeholder) => !isRead(placeholder)).map(({ name }) => name);

/** The first one to ask with; where there is none, the first of all, which tells why. */
export const voiceTemplateAmong = (newestFirst: readonly KnownTemplate[]): KnownTemplate | undefined =>
  newestFirst.find((template) => wantsBesideName(template).length === 0) ?? newestFirst[0];
