import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { setSmsStatus, smsStatuses } from '../carrier/message.ts';
import { smsStatusChanged } from '../carrier/sms-callback.ts';
import type { World } from '../world.ts';
import { controlRoute, done, refused } from './control-route.ts';
import { words } from './fields.ts';

const smsStatus = z.object({
  message_sid: words(64),
  status: z.enum(smsStatuses),
  error_code: words(8).optional(),
});

/** What a person or a test can make of an SMS that the carrier took. */
export function registerSmsControls(app: FastifyInstance, world: World, accountSid: string): void {
  controlRoute(app, '/control/sms/status', smsStatus, async (input) => {
    const isKnown = await world.change(async (db, tell) => {
      const message = await setSmsStatus(db, input.message_sid, input.status);
      const callback = message && smsStatusChanged(message, input.status, accountSid, input.error_code);
      if (callback) await tell(callback);
      return message !== null;
    });
    return isKnown ? done(input) : refused(404, `The carrier took no SMS ${input.message_sid}.`);
  });
}
