import type { CallPermissionEvent } from '@parley/contracts';
import { given } from '@parley/testing';
import type { StartAsk } from './asking.ts';
import { callPermission } from './call-permission.ts';
import { callPermissionConfig } from './config.ts';
import type { Circumstances } from './rules.ts';
import { termsOf } from './terms.ts';

export const contact = { senderId: 7, phone: '+491701234567' };
export const figures = callPermissionConfig.parse({});
export const terms = termsOf(figures);

export const hour = 60 * 60 * 1000;
export const day = 24 * hour;
export const start = Date.parse('2026-11-21T10:00:00.000Z');
export const iso = (ms: number): string => new Date(ms).toISOString();

/** Circumstances that allow an ask, unless the history does not. */
export const circumstances = (
  now: number,
  history: readonly CallPermissionEvent[],
  overrides: Partial<Circumstances> = {},
): Circumstances => ({
  state: given(callPermission, ...history),
  sender: { isCallingEnabled: true, country: 'DE' },
  template: { wants: [] },
  terms,
  now,
  ...overrides,
});

export const ask = (askId: string): StartAsk => ({
  ...contact,
  askId,
  fingerprint: null,
  conversationId: null,
  templateId: 5,
});
