// The Nest side, apart from the rest so that processes without Nest do not load it.
export { BusContext } from './requests/bus-context.ts';
export type { HandledRequest } from './requests/dispatcher.ts';
export { BusServer } from './requests/server.ts';
