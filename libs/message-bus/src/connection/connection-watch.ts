import type { NatsConnection } from './connection.ts';

export interface ConnectionEvents {
  /** What was asked and not answered, and what was sent and did not arrive, is lost. */
  readonly onLost?: () => void;
  readonly onBack?: () => void;
  /** It will not come back. */
  readonly onClosed?: () => void;
}

/** Tells when a connection comes and goes; returns how to stop that. */
export function watchConnection(connection: NatsConnection, events: ConnectionEvents): () => void {
  let isWatching = true;
  const watch = async () => {
    for await (const { type } of connection.status()) {
      if (!isWatching) return;
      if (type === 'disconnect') events.onLost?.();
      if (type === 'reconnect') events.onBack?.();
    }
    if (isWatching) events.onClosed?.();
  };
  void watch();
  return () => {
    isWatching = false;
  };
}
