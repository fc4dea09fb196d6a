import { type RecordedEventMessage, recordedEvent, upcastMessage } from '@parley/contracts';
import { encodeHeaderText } from '../wire/header-text.ts';

export const positionHeader = 'parley-position';
export const accountHeader = 'parley-account';

/** `evt.<service>.<category>.<type>`: names from the code, never from a user. */
export function eventSubject(service: string, { category, type }: RecordedEventMessage): string {
  if (!isToken(category) || !isToken(type)) throw new Error(`${category}.${type} is not fit for a subject.`);
  return `evt.${service}.${category}.${type}`;
}

/** CloudEvents 1.0 in binary mode; the body is the event as `read-events` gives it. */
export const eventHeaders = (service: string, event: RecordedEventMessage): Record<string, string[]> => ({
  'ce-specversion': ['1.0'],
  'ce-id': [event.event_id],
  'ce-source': [`/parley/${service}`],
  'ce-type': [event.type],
  'ce-subject': [encodeHeaderText(event.stream_id)],
  'ce-time': [event.recorded_at],
  'ce-datacontenttype': ['application/json'],
  'content-type': ['application/json'],
  [positionHeader]: [String(event.position)],
  ...(event.account_id === null ? {} : { [accountHeader]: [String(event.account_id)] }),
});

/**
 * The event of a published message, at the newest version of its payload; `undefined` for anything else that was sent to
 * its subject. What an older copy of the service published, or JetStream kept, may be of an earlier version.
 */
export function parseEvent(body: string): RecordedEventMessage | undefined {
  try {
    const event = recordedEvent.safeParse(JSON.parse(body)).data;
    return event && upcastMessage(event);
  } catch {
    return undefined;
  }
}

const isToken = (name: string): boolean => /^[A-Za-z0-9_-]+$/.test(name);
