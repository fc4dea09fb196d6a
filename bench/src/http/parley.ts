import { randomUUID } from 'node:crypto';
import {
  createAssistant,
  createCampaign,
  createFolder,
  type InternalMessage,
  issueApiKey,
  type OperationDefinition,
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

/** `count` more keys of an account. */
export async function issueKeys(natsUrl: string, accountId: number, count: number): Promise<string[]> {
  const bus = await connectBusClient({ servers: natsUrl, name: 'bench' });
  try {
    const keys: string[] = [];
    await inParallel(count, async () => {
      const { token } = await ask(bus, issueApiKey, { account_id: accountId, name: 'bench' });
      keys.push(token ?? '');
    });
    return keys;
  } finally {
    await bus.close();
  }
}

/** A stopped campaign for each account; their ids in the same order. */
export async function seedCampaigns(
  natsUrl: string,
  accounts: readonly SeededAccount[],
): Promise<readonly number[]> {
  const bus = await connectBusClient({ servers: natsUrl, name: 'bench' });
  const ids: number[] = [];
  try {
    await inParallel(accounts.length, async (n) => {
      const settings = { name: 'Bench', channel: 'sms', body: 'Hello' };
      const answer = await tell(bus, createCampaign, accounts[n]?.id ?? 0, settings);
      ids[n] = createCampaign.success.schema.parse(JSON.parse(answer)).data.id;
    });
    return ids;
  } finally {
    await bus.close();
  }
}

/** `count` assistants of one account, made by the command that customers use. */
export async function seedAssistants(natsUrl: string, accountId: number, count: number): Promise<void> {
  const bus = await connectBusClient({ servers: natsUrl, name: 'bench' });
  try {
    await inParallel(count, (n) =>
      tell(bus, createAssistant, accountId, {
        name: `Assistant ${n}`,
        type: 'outbound',
        mode: 'pipeline',
        llm_model_id: 1,
        voice_id: 1,
        language_id: 1,
        timezone: 'Europe/Berlin',
        initial_message: 'Hello, do you have a minute?',
        system_prompt: `You call people who asked for an appointment. ${'Be friendly and brief. '.repeat(20)}`,
        variables: { name: 'there', number: n },
        post_call_schema: [{ name: 'has_date', type: 'bool', description: 'Whether a date was found' }],
      }),
    );
  } finally {
    await bus.close();
  }
}

export async function inParallel(
  count: number,
  work: (n: number) => Promise<unknown>,
  parallel = 128,
): Promise<void> {
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

export async function ask<I extends z.ZodType, O extends z.ZodType>(
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

const createOne = (bus: BusClient, accountId: number, name: string): Promise<string> =>
  tell(bus, createFolder, accountId, { name });

/** Asks for a customer's operation in the name of an account; resolves with the answer's body. */
async function tell(
  bus: BusClient,
  operation: OperationDefinition,
  accountId: number,
  body: object,
): Promise<string> {
  const reply = await bus.request({
    service: operation.service,
    subject: subjectOf(operation),
    payload: JSON.stringify(body),
    context: context(accountId),
  });
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return reply.body;
}
