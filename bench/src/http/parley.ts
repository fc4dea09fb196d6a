import { randomUUID } from 'node:crypto';
import {
  createFolder,
  type InternalMessage,
  issueApiKey,
  registerAccount,
  subjectOf,
} from '@parley/contracts';
import { type BusClient, connectBusClient } from '@parley/message-bus';
import type { z } from 'zod';

export interface SeededAccount {
  readonly id: number;
  readonly key: string;
}

/** Accounts with one key each, and `folders` folders, made by the commands that customers use, `parallel` at a time. */
export async function seedAccounts(
  natsUrl: string,
  accounts: number,
  folders: number,
): Promise<SeededAccount[]> {
  const bus = await connectBusClient({ servers: natsUrl, name: 'bench' });
  try {
    const seeded: SeededAccount[] = [];
    await inParallel(accounts, async (n) => {
      const { account_id: id } = await ask(bus, registerAccount, {
        email: `bench-${randomUUID()}@parley.test`,
        name: `Bench ${n}`,
        billing_unit: 'credits',
      });
      const { token } = await ask(bus, issueApiKey, { account_id: id, name: 'bench' });
      for (let folder = 0; folder < folders; folder += 1) await createOne(bus, id, `Folder ${folder}`);
      seeded.push({ id, key: token ?? '' });
    });
    return seeded;
  } finally {
    await bus.close();
  }
}

const parallel = 128;

async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

const context = (accountId: number | null) => ({
  accountId,
  actor: { kind: 'operator', id: 'bench' } as const,
  commandId: randomUUID(),
  fingerprint: null,
  correlationId: randomUUID(),
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 30_000,
});

async function ask<I extends z.ZodType, O extends z.ZodType>(
  bus: BusClient,
  message: InternalMessage<I, O>,
  input: z.input<I>,
): Promise<z.output<O>> {
  const subject = `cmd.${message.service}.${message.name}`;
  const reply = await bus.request({
    service: message.service,
    subject,
    payload: JSON.stringify(input),
    context: context(null),
  });
  if (reply.kind === 'rejected') throw new Error(`${subject}: ${JSON.stringify(reply.rejection)}`);
  return message.output.parse(JSON.parse(reply.body));
}

async function createOne(bus: BusClient, accountId: number, name: string): Promise<void> {
  const reply = await bus.request({
    service: createFolder.service,
    subject: subjectOf(createFolder),
    payload: JSON.stringify({ name }),
    context: context(accountId),
  });
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
}
