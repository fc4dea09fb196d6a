import { randomUUID } from 'node:crypto';
import { type OperatorMessage, operatorSubject } from '@parley/contracts';
import type { NewEvent } from '@parley/event-store';
import { connectBusClient } from '@parley/message-bus';
import type { ServiceCopies } from '@parley/testing';

interface TravellingStream {
  readonly accountId: number;
  readonly category: string;
  readonly streamId: string;
}

/** A stream as an export has it. */
export const travelling = (
  { accountId, category, streamId }: TravellingStream,
  events: readonly NewEvent[],
) =>
  events.map(({ type, data }, index) => ({
    event_id: randomUUID(),
    stream_id: streamId,
    stream_version: index + 1,
    category,
    type,
    schema_version: 1,
    account_id: accountId,
    recorded_at: '2026-11-21T09:30:00.000000Z',
    data,
    metadata: {
      correlation_id: 'request-1',
      causation_id: 'request-1',
      command_id: null,
      actor: { kind: 'system', id: 'test' },
    },
  }));

/** Asks the service as an operator does; its answer, false for a refusal. */
export async function asOperator(copies: ServiceCopies) {
  const bus = await connectBusClient({ servers: copies.natsUrl, name: 'test' });
  const ask = async (message: OperatorMessage, payload: object) => {
    const reply = await bus.request({
      service: 'assistants',
      subject: operatorSubject('assistants', message),
      payload: JSON.stringify(payload),
      context: {
        ...{ accountId: null, actor: { kind: 'operator', id: 'test' }, commandId: randomUUID() },
        ...{ fingerprint: null, correlationId: 'import-1', expectedVersion: null, baseUrl: null },
        timeoutMs: 20_000,
      },
    });
    return reply.kind === 'ok' && JSON.parse(reply.body);
  };
  return Object.assign(ask, { close: () => bus.close() });
}
