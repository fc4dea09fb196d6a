export { findFreePort } from './free-port.ts';
export { type EmbeddedNatsOptions, findNatsServer, startNats } from './nats.ts';
export { type EmbeddedPostgresOptions, startPostgres } from './postgres.ts';
export type { ServerProcess } from './server-process.ts';
