import { forgetPhoneNumber, listNumberAssignments, subjectOf } from '@parley/contracts';
import type { BusClient, MessageContext } from '@parley/message-bus';
import { lookUp, onBehalfOf } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import type { z } from 'zod';

type NumberAssignment = z.output<typeof listNumberAssignments.output>['data'][number];

/** Asks the assistants service about numbers. */
export interface Assistants {
  /** Which inbound assistant answers on which number. Rejects when assistants cannot be asked. */
  assignments(message: MessageContext): Promise<readonly NumberAssignment[]>;
  /**
   * Takes a released number off the account's assistants. The assistants service does so by itself a little later; this
   * makes sure that it is done when the request is answered. Never rejects.
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
