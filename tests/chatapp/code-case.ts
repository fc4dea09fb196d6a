import { type RejectionCode, rejections } from '@parley/contracts';
import type { RunningStack } from '@parley/testing';
import { expect } from 'vitest';
import { type Pair, voicePair } from '../chatapp-voice/voice-stack.ts';
import type { Answer } from '../support/api.ts';
import { type ChatAccount, type ChatAccountOptions, chatAccount } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';

export const nobody = 999_999_999;

/** How a client comes to an error, and what the body says beside `success: false`. */
export interface CodeCase {
  readonly operation: string;
  readonly code: RejectionCode;
  /** `error_code`; absent where the specification's table has none. */
  readonly error_code: string;
  readonly reach: (stack: RunningStack) => Promise<Answer>;
  /** `error` where it is not the contract's sentence. */
  readonly error?: unknown;
  readonly more?: object;
}

export const ofAccount =
  (
    act: (chat: ChatAccount, to: string, stack: RunningStack) => Promise<Answer>,
    options: ChatAccountOptions = {},
  ) =>
  async (stack: RunningStack) =>
    act(await chatAccount(stack, options), freshCustomerNumber(), stack);

export const ofPair =
  (
    act: (pair: Pair, stack: RunningStack) => Promise<Answer>,
    ...about: OmitFirst<Parameters<typeof voicePair>>
  ) =>
  async (stack: RunningStack) =>
    act(await voicePair(stack, ...about), stack);
export type OmitFirst<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest]
  ? Rest
  : never;

export const advance = ({ sandboxUrl }: RunningStack, seconds: number) => advanceClock(seconds, sandboxUrl);
export const fault = ({ sandboxUrl }: RunningStack, operation: string, mode: string) =>
  control('faults', { provider: 'chat', operation, mode, times: 1 }, sandboxUrl);

export const one = (
  operation: string,
  code: RejectionCode,
  reach: CodeCase['reach'],
  rest: Partial<CodeCase> = {},
) => ({
  operation,
  code,
  error_code: code.toUpperCase(),
  reach,
  ...rest,
});
export const validation = { error_code: 'VALIDATION_FAILED' };
export const wrong = (field: string) => ({
  ...validation,
  more: { errors: { [field]: [expect.any(String)] } },
});
export const noSender = { error: rejections.sender_not_found.message, error_code: 'SENDER_NOT_FOUND' };
export const refusedByPlatform = {
  error: expect.stringMatching(/^The chat platform rejected the (message|request): ./),
  more: { details: { outcome: 'not_sent', provider_code: expect.any(String) } },
};
