import { randomUUID } from 'node:crypto';
import {
  advanceClock,
  getWebhookSecret,
  listWebhookDeliveries,
  type OperationDefinition,
  type OperationSuccess,
  queueWebhook,
  setVoiceWebhook,
  type WebhookDeliveryStatus,
} from '@parley/contracts';
import { eventually, type ServiceCopies } from '@parley/testing';
import { expect } from 'vitest';

export type DeliveryItem = OperationSuccess<typeof listWebhookDeliveries>['data'][number];

let accounts = 1000;

/** An account of its own for each test, and what it does with webhooks. */
export function createCustomer(copies: ServiceCopies) {
  accounts += 1;
  const accountId = accounts;
  const context = { accountId, actor: { kind: 'api_key', id: '41' } } as const;

  async function call<O extends OperationDefinition>(
    operation: O,
    payload: object,
  ): Promise<OperationSuccess<O>> {
    const reply = await copies.send(operation, payload, context);
    if (reply.kind === 'rejected') throw new Error(`${operation.name}: ${JSON.stringify(reply.rejection)}`);
    // The schema is the operation's own.
    return operation.success.schema.parse(JSON.parse(reply.body)) as OperationSuccess<O>;
  }

  const customer = {
    accountId,
    context,
    call,
    setUrl: (url: string | null) => call(setVoiceWebhook, { url }),
    async secret(): Promise<string> {
      return (await call(getWebhookSecret, {})).data.secret;
    },
    /** Something to tell the voice webhook about; the delivery's id, null when it is off. */
    async queue(
      fields: Readonly<Record<string, unknown>> = {},
      eventId = randomUUID(),
    ): Promise<string | null> {
      const { delivery_id } = await copies.ask(queueWebhook, {
        account_id: accountId,
        event: 'chatapp_voice',
        event_id: eventId,
        occurred_at: '2026-11-21T09:30:00.000Z',
        fields: {
          type: 'voice_call',
          sender_id: 7,
          customer_phone: '+4930901820',
          conversation_id: null,
          status: 'completed',
          expires_at: null,
          can_call: true,
          ...fields,
        },
      });
      return delivery_id;
    },
    async deliveries(filter: object = {}): Promise<readonly DeliveryItem[]> {
      return (await call(listWebhookDeliveries, { per_page: 100, ...filter })).data;
    },
    async delivery(id: string | null): Promise<DeliveryItem> {
      const found = (await customer.deliveries()).find((item) => item.id === id);
      if (!found) throw new Error(`There is no delivery ${id}.`);
      return found;
    },
    /** Waits until the delivery has been tried, and waits for its next attempt. */
    async tried(id: string | null): Promise<DeliveryItem> {
      return eventually(async () => {
        const item = await customer.delivery(id);
        expect(item).toMatchObject({ status: 'pending', next_attempt_at: expect.any(String) });
        expect(item.attempts.length).toBeGreaterThan(0);
        return item;
      });
    },
    /** Waits until the delivery is `status` and has been tried that often. */
    async settled(
      id: string | null,
      status: WebhookDeliveryStatus,
      attempts?: number,
    ): Promise<DeliveryItem> {
      return eventually(async () => {
        const item = await customer.delivery(id);
        expect(item.status).toBe(status);
        if (attempts !== undefined) expect(item.attempts).toHaveLength(attempts);
        return item;
      });
    },
  };
  return customer;
}

/** Moves the platform clock of the service forward. */
export function createClockMover(copies: ServiceCopies) {
  let offset = 0;
  return async (seconds: number): Promise<void> => {
    offset += seconds;
    await copies.ask(advanceClock, { offset_seconds: offset });
  };
}
