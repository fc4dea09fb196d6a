import {
  AssistantCreated,
  AssistantNumberChanged,
  NumberReleaseRequested,
  SipTrunkDeleted,
} from '@parley/contracts';
import { Aggregates, type EventMetadata, type RecordedEvent } from '@parley/event-store';
import { internalContext, type MessageContext } from '@parley/message-bus';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import type { BackgroundParts } from '@parley/service-kit';
import { forgetNumber } from './forget-number.ts';
import { createPhoneNumbers } from './phone-numbers.ts';

/**
 * Reactors that take from its assistants a number that was released, or whose trunk was deleted. Telephony also asks
 * for this by a command, which may get lost. An assistant may be given a number that is released a moment later, so
 * assignments are checked once more when they are on record.
 */
export function forgetGoneNumbers({ bus, eventsOf, sql, store }: BackgroundParts): readonly Reactor[] {
  const aggregates = new Aggregates(store);
  const numbers = createPhoneNumbers(bus);
  const forget = async (accountId: number | null, phoneNumberId: number, metadata: EventMetadata) => {
    if (accountId !== null) await forgetNumber({ aggregates, sql }, { accountId, phoneNumberId }, metadata);
  };
  return [
    defineReactor({
      name: 'forget-gone-numbers',
      handles: [NumberReleaseRequested.type, SipTrunkDeleted.type],
      source: eventsOf('telephony'),
      laneOf: byAccount,
      async react(event, { metadata }) {
        await forget(event.accountId, goneNumber(event), metadata);
        return undefined;
      },
    }),
    defineReactor({
      name: 'recheck-assigned-numbers',
      handles: [AssistantCreated.type, AssistantNumberChanged.type],
      laneOf: byAccount,
      async react(event, { metadata }) {
        const assigned = assignedNumber(event);
        if (assigned === null || (await numbers.find(askingFor(event, metadata), assigned))) return undefined;
        await forget(event.accountId, assigned, metadata);
        return undefined;
      },
    }),
  ];
}

function goneNumber({ type, data }: RecordedEvent): number {
  return type === NumberReleaseRequested.type
    ? NumberReleaseRequested.data.parse(data).number_id
    : SipTrunkDeleted.data.parse(data).id;
}

function assignedNumber({ type, data }: RecordedEvent): number | null {
  return type === AssistantNumberChanged.type
    ? AssistantNumberChanged.data.parse(data).phone_number_id
    : AssistantCreated.data.parse(data).settings.phone_number_id;
}

const askTimeoutMs = 3_000;

const askingFor = ({ accountId }: RecordedEvent, { actor, correlationId }: EventMetadata): MessageContext =>
  internalContext({
    accountId,
    actor,
    correlationId,
    timeoutMs: askTimeoutMs,
  });
