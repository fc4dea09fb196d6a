import { randomUUID } from 'node:crypto';
import {
  checkTemplate,
  type InternalMessage,
  inputSchemaOf,
  type OperationDefinition,
  operatorSubject,
  type RecordedEventMessage,
  readEvents,
  type ServiceName,
  sendChatAppTemplate,
  subjectOf,
} from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { type BusContext, BusServer } from '@parley/message-bus/nest';
import type { ServiceCopies } from '@parley/testing';

interface Asked {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly context: MessageContext;
}

/** A service that campaigns talk to, played by a test: it answers as it is told and has a log of its own. */
export interface OtherService {
  /** What it was asked, in order; a command known by its id is asked once, and what it took is answered the same. */
  readonly asked: readonly Asked[];
  answer(reply: (asked: Asked) => BusReply | Promise<BusReply>): void;
  /** Adds an event to its log. */
  publish(
    type: string,
    category: string,
    accountId: number,
    data: RecordedEventMessage['data'],
    schemaVersion?: number,
    chainDepth?: number,
  ): void;
  close(): Promise<void>;
}

export async function startOtherService(
  natsUrl: string,
  service: ServiceName,
  messages: readonly (InternalMessage | OperationDefinition)[],
  queries: readonly { readonly message: InternalMessage; readonly answer: object }[] = [],
): Promise<OtherService> {
  const asked: Asked[] = [];
  const known = new Set<string | null>();
  const taken = new Map<string | null, BusReply>();
  const log: RecordedEventMessage[] = [];
  let reply = ({ payload }: Asked): BusReply | Promise<BusReply> => accepted(`ref-${payload.lead_id}`);
  const server = new BusServer({ servers: natsUrl, service });
  for (const message of messages)
    server.addHandler(subjectOf(message), async (data: unknown, context: BusContext) => {
      // The test validates it, as the service would.
      const input = 'input' in message ? message.input : inputSchemaOf(message);
      const request = { payload: input.parse(data) as Asked['payload'], context: context.message };
      if (!known.has(request.context.commandId)) asked.push(request);
      known.add(request.context.commandId);
      const answer = taken.get(request.context.commandId) ?? (await reply(request));
      if (message.kind === 'command' && answer.kind === 'ok') taken.set(request.context.commandId, answer);
      return answer;
    });
  for (const { message, answer } of queries)
    server.addHandler(subjectOf(message), async () => ({ kind: 'ok', body: JSON.stringify(answer) }));
  server.addHandler(operatorSubject(service, readEvents), async (data: unknown) => {
    const { after, limit } = readEvents.input.parse(data);
    const body = JSON.stringify({ events: log.slice(after, after + limit), head: log.length });
    return { kind: 'ok', body } satisfies BusReply;
  });
  await new Promise<void>((resolve, reject) => server.listen((error) => (error ? reject(error) : resolve())));
  return {
    asked,
    answer(next) {
      reply = next;
    },
    publish(type, category, accountId, data, schemaVersion = 1, chainDepth = undefined) {
      const position = log.length + 1;
      log.push({
        position,
        stream_id: `${category}-${position}`,
        stream_version: 1,
        category,
        account_id: accountId,
        type,
        schema_version: schemaVersion,
        event_id: randomUUID(),
        data,
        metadata: {
          correlation_id: 'request-1',
          causation_id: 'command-1',
          command_id: null,
          actor: { kind: 'system', id: 'test' },
          ...(chainDepth === undefined ? {} : { chain_depth: chainDepth }),
        },
        recorded_at: new Date().toISOString(),
      });
    },
    close: () => server.close(),
  };
}

/** Messaging, which takes every template message. */
export async function startMessaging({ natsUrl }: ServiceCopies): Promise<OtherService> {
  const known = { message: checkTemplate, answer: { outcome: 'ok' } };
  const messaging = await startOtherService(natsUrl, 'messaging', [sendChatAppTemplate], [known]);
  messaging.answer(() => sent(1));
  return messaging;
}

export const accepted = (reference: string): BusReply => ({
  kind: 'ok',
  body: JSON.stringify({ reference }),
  position: 1,
});

/** Messaging took a template message. */
export const sent = (messageId: number): BusReply => ({
  kind: 'ok',
  body: JSON.stringify({
    success: true,
    conversation_id: 1,
    conversation_uuid: '0b9f3c1e-5d0a-4c1b-9b57-3f2d6a1c8e40',
    message_id: messageId,
    chatapp_message_id: messageId,
    message_sid: 'wamid.1',
    status: 'sent',
  }),
  position: 1,
});
