import type { CallPermissionEvent } from '@parley/contracts';
import type { Aggregates, ExecuteOptions, ExecuteResult } from '@parley/event-store';
import { decidedWithOrigin } from '@parley/processing';
import type { Contact } from './asking.ts';
import { type CallPermission, callPermission, permissionStream } from './call-permission.ts';

export const permissionCategory = 'permission';

type Change<Reply> = ExecuteOptions<CallPermission, CallPermissionEvent, Reply>;

/** The streams of call permissions: each change is one append, and its timers carry the account and the trace. */
export class PermissionLog {
  readonly #aggregates: Aggregates;

  constructor(aggregates: Aggregates) {
    this.#aggregates = aggregates;
  }

  change<Reply>(
    { senderId, phone }: Contact,
    change: Pick<Change<Reply>, 'accountId' | 'metadata' | 'command' | 'decide'>,
  ): Promise<ExecuteResult> {
    const { accountId, metadata, decide } = change;
    return this.#aggregates.execute({
      ...change,
      decide: async (...known) => decidedWithOrigin(await decide(...known), accountId, metadata),
      streamId: permissionStream(senderId, phone),
      category: permissionCategory,
      fold: callPermission,
    });
  }

  load({ senderId, phone }: Contact) {
    return this.#aggregates.load(permissionStream(senderId, phone), callPermission);
  }

  loadAt({ senderId, phone }: Contact, moment: Parameters<Aggregates['loadAt']>[2]) {
    return this.#aggregates.loadAt(permissionStream(senderId, phone), callPermission, moment);
  }
}
