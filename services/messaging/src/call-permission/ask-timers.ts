import type { Aggregates } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { z } from 'zod';
import { askTimerKind, settleAsk } from './asking.ts';
import { permissionStream } from './call-permission.ts';
import { PermissionLog, permissionCategory } from './permission-log.ts';

const payload = z.object({ sender_id: z.int(), customer_phone: z.string(), ask_id: z.string() });

/**
 * Timer handler for an ask whose process died before it recorded an outcome: nobody knows whether the customer was
 * asked.
 */
export function askTimers(aggregates: Aggregates): Readonly<Record<string, TimerHandler>> {
  const log = new PermissionLog(aggregates);
  return {
    async [askTimerKind](timer, { metadata }) {
      const { sender_id: senderId, customer_phone: phone, ask_id: askId } = payload.parse(timer.payload);
      const contact = { senderId, phone };
      const { state, version, accountId } = await log.load(contact);
      const reason = 'The outcome was not recorded.';
      const events = settleAsk(state, contact, askId, { kind: 'unknown', reason });
      if (events.length === 0) return undefined;
      return {
        streamId: permissionStream(senderId, phone),
        category: permissionCategory,
        accountId,
        events,
        expectedVersion: version,
        metadata,
      };
    },
  };
}
