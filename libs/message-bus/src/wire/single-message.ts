import { headers as createHeaders, type Msg } from '@nats-io/nats-core';
import { maxPayloadOf, type NatsConnection } from '../connection/connection.ts';
import { encodeReplyMessage, type ReadHeader } from './headers.ts';
import type { BusReply } from './message.ts';

/** Reads a message's headers in any case, as clients of other languages write them. */
export function headerReader(message: Msg): ReadHeader {
  const values = new Map<string, string>();
  for (const [name, [value]] of message.headers ?? [])
    if (value !== undefined) values.set(name.toLowerCase(), value);
  return (name) => values.get(name.toLowerCase());
}

/** Answers a single message; one that wants no answer gets none. Never throws: the connection may be closed by now. */
export function respond(
  connection: NatsConnection,
  message: Msg,
  reply: BusReply,
  onError: (error: unknown) => void,
): void {
  if (!message.reply) return;
  const { body, headers } = encodeReplyMessage(reply);
  if (Buffer.byteLength(body) + headerRoomBytes > maxPayloadOf(connection)) {
    const rejection = { code: 'internal', details: { reason: 'reply_too_large' } };
    respond(connection, message, { kind: 'rejected', rejection }, onError);
    return;
  }
  const fields = createHeaders();
  for (const [name, value] of headers) fields.append(name, value);
  try {
    connection.publish(message.reply, body, { headers: fields });
  } catch (error) {
    onError(error);
  }
}

/** More than the headers of a reply ever take. */
const headerRoomBytes = 1024;
