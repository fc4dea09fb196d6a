import { forgetPhoneNumber, type InternalMessage, listNumberAssignments, subjectOf } from '@parley/contracts';
import { type BusClient, type BusReply, type MessageContext, ServiceUnavailable } from '@parley/message-bus';
import { v5 as uuidv5 } from 'uuid';
import type { z } from 'zod';

type NumberAssignment = z.output<typeof listNumberAssignments.output>['data'][number];

/** The account's assistants, which assistants keeps. */
export interface Assistants {
  /** Which inbound assistant answers on which number. Rejects when assistants cannot be asked. */
  assignments(message: MessageContext): Promise<readonly NumberAssignment[]>;
  /**
   * Takes a number that is gone from the account's assistants. They do it by themselves a little later; this makes sure
   * that whoever is answered finds it done. Never rejects.
   */
  forgetNumber(message: MessageContext, id: number): Promise<void>;
}

export const createAssistants = (bus: BusClient): Assistants => {
  const ask = (about: InternalMessage, payload: object, context: MessageContext): Promise<BusReply> =>
    bus.request({
      service: about.service,
      subject: subjectOf(about),
      payload: JSON.stringify(payload),
      context: { ...context, fingerprint: null, expectedVersion: null },
    });
  return {
    async assignments(message) {
      const reply = await ask(listNumberAssignments, {}, { ...message, commandId: null });
      if (reply.kind === 'ok') return listNumberAssignments.output.parse(JSON.parse(reply.body)).data;
      throw new ServiceUnavailable(`Assistants answered ${reply.rejection.code}.`);
    },
    async forgetNumber(message, id) {
      const commandId = message.commandId === null ? null : uuidv5('forget-phone-number', message.commandId);
      await ask(forgetPhoneNumber, { phone_number_id: id }, { ...message, commandId }).catch(() => undefined);
    },
  };
};
