import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, type Type } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import {
  createFolder,
  deleteFolder,
  getMe,
  listDeletedApiKeys,
  listFolders,
  resolveApiKeys,
  subjectOf,
  takeRateLimit,
  updateFolder,
} from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import type { BusContext } from '@parley/message-bus/nest';
import { takeRateLimit as takeFromLog } from '@parley/rate-limit';
import type { z } from 'zod';
import type { TestKeys } from './gateway.fixture.ts';

/** A message as a service got it. */
export interface Asked {
  readonly payload: unknown;
  readonly context: BusContext['message'];
}

const ok = (value: unknown): BusReply => ({ kind: 'ok', body: JSON.stringify(value) });
const rejected = (code: string, extra: object = {}): BusReply => ({
  kind: 'rejected',
  rejection: { code, ...extra },
});

const isSame =
  ({ commandId }: Asked['context']) =>
  ({ context }: Asked): boolean =>
    context.commandId === commandId;

/** Keys and limits as the accounts service keeps them, in memory. */
export function accountsController(keys: TestKeys): Type {
  const logs = new Map<string, readonly number[]>();

  @Controller()
  class AccountsController {
    @MessagePattern(subjectOf(resolveApiKeys))
    async resolve(@Payload() { token_hashes }: z.output<typeof resolveApiKeys.input>): Promise<BusReply> {
      return ok(await keys.resolve(token_hashes));
    }

    @MessagePattern(subjectOf(listDeletedApiKeys))
    async listDeleted(@Payload() { after }: z.output<typeof listDeletedApiKeys.input>): Promise<BusReply> {
      return ok(await keys.listDeleted(after));
    }

    @MessagePattern(subjectOf(takeRateLimit))
    async take(@Payload() input: z.output<typeof takeRateLimit.input>): Promise<BusReply> {
      keys.limitsAsked += 1;
      await sleep(keys.limitsTakeMs);
      const key = `${input.account_id} ${input.operation}`;
      const limits = input.limits.map(({ name, max, window_ms }) => ({ name, max, windowMs: window_ms }));
      const decision = takeFromLog(logs.get(key) ?? [], Date.now() * 1000, limits, input.consume);
      logs.set(key, decision.log);
      return ok({
        allowed: decision.isAllowed,
        limit: { name: decision.limit.name, max: decision.limit.max },
        remaining: decision.remaining,
        retry_after: decision.retryAfterSeconds,
        reset_at: decision.resetAtSeconds,
      });
    }

    @MessagePattern(subjectOf(getMe))
    me(@Ctx() { message }: BusContext): BusReply {
      return ok({ id: message.accountId, context: message });
    }
  }
  return AccountsController;
}

/** Folders that remember what they were asked, and answer names that ask for trouble with trouble. */
export function foldersController(asked: Asked[]) {
  const answers = new Map<string, { readonly fingerprint: string | null; readonly body: string }>();
  let gate = Promise.resolve();
  let open = () => {};
  let padding: string | undefined;

  @Controller()
  class FoldersController {
    @MessagePattern(subjectOf(createFolder))
    async create(@Payload() payload: { name: string }, @Ctx() { message }: BusContext): Promise<BusReply> {
      asked.push({ payload, context: message });
      const known = message.commandId === null ? undefined : answers.get(message.commandId);
      if (known && known.fingerprint !== message.fingerprint) return rejected('idempotency_key_reuse');
      if (known) return { kind: 'ok', body: known.body, position: 1, version: 1, replayed: true };
      if (payload.name === 'taken')
        return rejected('invalid', { fields: { name: ['The name has already been taken.'] } });
      if (payload.name === 'bug') throw new Error('secret detail');
      if (payload.name === 'unknown code') return rejected('no_such_code', { message: 'secret detail' });
      if (payload.name === 'contended') return rejected('contended', { message: 'secret detail' });
      if (payload.name === 'wait') await gate;
      if (payload.name === 'begun elsewhere' && asked.filter(isSame(message)).length < 4)
        return rejected('idempotency_in_progress');
      const body = `{"message":"Folder created","data":{"id":${answers.size + 1},  "name":${JSON.stringify(payload.name)},"color":null,"assistants_count":0}}`;
      if (message.commandId !== null)
        answers.set(message.commandId, { fingerprint: message.fingerprint, body });
      return { kind: 'ok', body, position: 41, version: 1 };
    }

    @MessagePattern(subjectOf(updateFolder))
    update(@Payload() payload: { id: number }, @Ctx() { message }: BusContext): BusReply {
      asked.push({ payload, context: message });
      if (payload.id !== 1) return rejected('not_found');
      if (message.expectedVersion !== null && message.expectedVersion !== 3)
        return rejected('version_mismatch');
      return { kind: 'ok', body: '{"message":"Folder updated"}', position: 42, version: 4 };
    }

    @MessagePattern(subjectOf(deleteFolder))
    delete(@Payload() payload: { id: number }, @Ctx() { message }: BusContext): BusReply {
      asked.push({ payload, context: message });
      return payload.id === 1
        ? { kind: 'ok', body: '{"message":"Folder deleted"}', position: 43 }
        : rejected('not_found');
    }

    @MessagePattern(subjectOf(listFolders))
    list(@Payload() payload: unknown, @Ctx() { message }: BusContext): BusReply {
      asked.push({ payload, context: message });
      return ok({ data: [], payload, padding });
    }
  }
  return Object.assign(FoldersController, {
    /** Holds the creation of folders named `wait` back until `open`. */
    hold() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    /** Makes lists so many bytes longer. */
    pad(bytes: number) {
      padding = bytes === 0 ? undefined : 'a'.repeat(bytes);
    },
  });
}
