import type { NatsConnection } from '../connection/connection.ts';
import { watchConnection } from '../connection/connection-watch.ts';
import { subscribe } from '../connection/subscribe.ts';
import type { EventListener } from './event-listener.ts';
import { accountHeader } from './event-message.ts';

/**
 * Tells in whose account something happened, in any service, as it happens: a hint, which may be lost. `null` stands for
 * all accounts: the connection was away for a while.
 */
export function listenToAccounts(
  connection: NatsConnection,
  onEvent: (accountId: number | null) => void,
): EventListener {
  const onMessage = ({ headers }: { headers?: { get(name: string): string } }) => {
    const accountId = Number(headers?.get(accountHeader));
    if (accountId > 0) onEvent(accountId);
  };
  const subscription = subscribe(connection, 'evt.>', onMessage);
  const stopWatching = watchConnection(connection, { onBack: () => onEvent(null) });
  return {
    close() {
      subscription.unsubscribe();
      stopWatching();
    },
  };
}
