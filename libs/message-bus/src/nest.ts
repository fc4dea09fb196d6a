// The Nest side, apart from the rest so that processes without Nest do not load it.
export { BusContext } from './bus-context.ts';
export type { HandledRequest } from './dispatcher.ts';
export { BusServer, type BusServerOptions } from './server.ts';
