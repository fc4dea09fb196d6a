import type { Ask, BusClient } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import type { AccountWakes } from '../feed/account-wakes.ts';
import type { Observe } from '../observe/metrics.ts';
import type { RunningCommands } from '../operation/idempotency.ts';
import type { Authenticate } from './caller/authenticate.ts';
import type { Draining } from './load/draining.ts';
import type { LargeAnswers } from './load/large-answers.ts';
import type { Timeouts } from './load/timeouts.ts';
import type { WaitingRoom } from './load/waiting.ts';

/** What every request needs and one gateway process holds once. */
export interface Edge {
  readonly bus: BusClient;
  readonly ask: Ask;
  readonly logger: Logger;
  readonly authenticate: Authenticate;
  readonly running: RunningCommands;
  readonly waiting: WaitingRoom;
  readonly draining: Draining;
  readonly largeAnswers: LargeAnswers;
  readonly wakes: AccountWakes;
  readonly observe: Observe;
  readonly handlerTimeoutMs: number;
  readonly feedTimeouts: Pick<Timeouts, 'heartbeatMs' | 'stalledMs'>;
  /** Sent on every answer of the API. */
  readonly securityHeaders: Readonly<Record<string, string>>;
}
