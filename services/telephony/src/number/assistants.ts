import { forgetPhoneNumber, listNumberAssignments, subjectOf } from '@parley/contracts';
import type { BusClient, MessageContext } from '@parley/message-bus';
import { lookUp, onBehalfOf } from '@parley/service-kit';
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

export const createAssistants = (bus: BusClient): Assistants => ({
  async assignments(message) {
    const found = await lookUp(bus, listNumberAssignments, {}, onBehalfOf(message));
    return found?.data ?? [];
  },
  async forgetNumber(message, id) {
    const commandId = message.commandId === null ? null : uuidv5('forget-phone-number', message.commandId);
    await bus
      .request({
        service: forgetPhoneNumber.service,
        subject: subjectOf(forgetPhoneNumber),
        payload: JSON.stringify({ phone_number_id: id }),
        context: { ...onBehalfOf(message), commandId },
      })
      .catch(() => undefined);
  },
});
