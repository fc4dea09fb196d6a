import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '../connection/connection.ts';
import { positionHeader } from './event-message.ts';

/** Position in the service's log, and sequence in its stream, of the newest message that JetStream has; 0 for none. */
export async function publishedPosition(
  connection: NatsConnection,
  service: string,
): Promise<{ readonly position: number; readonly sequence: number }> {
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 5_000 });
  const name = `EVT_${service.toUpperCase()}`;
  const { state } = await manager.streams.info(name);
  const sequence = state.last_seq;
  if (state.messages === 0) return { position: 0, sequence };
  const message = await manager.streams.getMessage(name, { seq: sequence });
  return { position: Number(message?.header.get(positionHeader) ?? 0), sequence };
}
