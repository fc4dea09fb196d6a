export { type Ask, createAsk, inBackground } from './asking/ask.ts';
export { connectToBus, type NatsConnection } from './connection/connection.ts';
export { listenToAccounts } from './events/account-listener.ts';
export {
  type DurableSubscriber,
  type DurableSubscriberOptions,
  type Positions,
  subscribeDurably,
} from './events/durable-subscriber.ts';
export { listenToEvents, listenToTypes } from './events/event-listener.ts';
export { type EventPage, readEventPages } from './events/event-pages.ts';
export { positionsInFile } from './events/position-file.ts';
export { publishAgain } from './events/publish-again.ts';
export { publishedPosition } from './events/published-position.ts';
export { createEventPublisher } from './events/publisher.ts';
export { connectBusClient, createBusClient } from './requests/client.ts';
export { Shares } from './requests/shares.ts';
export * from './wire/message.ts';
