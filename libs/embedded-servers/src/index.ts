export { findFreePort, listenFault } from './free-port.ts';
export {
  clearPostgresRemains,
  type LeftBehind,
  natsOf,
  postgresOf,
  stopLeftBehind,
} from './left-behind.ts';
export { linesOf, onLines } from './lines.ts';
export { type EmbeddedNatsOptions, natsUrl, startNats } from './nats.ts';
export { findNatsServer } from './nats-binary.ts';
export { nearestPostgresUrl, startPostgres } from './postgres.ts';
export { identifyProcess, listProcesses } from './running-processes.ts';
export { isAddressInUse, type ServerExit, type ServerProcess, spawnServer } from './server-process.ts';
