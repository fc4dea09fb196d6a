export { listenToAccounts } from './account-listener.ts';
export { type BusClientOptions, connectBusClient, createBusClient } from './client.ts';
export { type BusConnectionOptions, connectToBus, type NatsConnection } from './connection.ts';
export {
  type DurableSubscriber,
  type DurableSubscriberOptions,
  type Positions,
  subscribeDurably,
} from './durable-subscriber.ts';
export { type EventListener, listenToEvents, listenToTypes } from './event-listener.ts';
export { type EventPage, type ReadEventPage, readEventPages } from './event-pages.ts';
export * from './message.ts';
export { positionsInFile } from './position-file.ts';
export { publishAgain } from './publish-again.ts';
export { publishedPosition } from './published-position.ts';
export {
  createEventPublisher,
  type EventPublisher,
  type EventPublisherOptions,
  type Ownership,
} from './publisher.ts';
export { Shares } from './shares.ts';
