export { untilLockIsAwaited } from './awaited-lock.ts';
export { composedKeys, composedServices } from './compose.ts';
export { type Cut, type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
export { createEmptyDatabase, createTestDatabase } from './database.ts';
export { eventually } from './eventually.ts';
export { given, givenAndUnknown } from './given.ts';
export { golden } from './golden.ts';
export { listen, startLocalServer } from './local-servers.ts';
export { type OwnNats, startOwnNats } from './own-nats.ts';
export { type OwnNatsCluster, startOwnNatsCluster } from './own-nats-cluster.ts';
export { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
export { parleyProgram } from './parley-program.ts';
export { passedOver } from './passed-over.ts';
export { passedOverByViews } from './passed-over-by-views.ts';
export { patience } from './patience.ts';
export { findCommandLines, listDescendants } from './process-tree.ts';
export { recorded } from './recorded.ts';
export { rowsRead, vacuum } from './rows-read.ts';
export { type ServiceCopies, startServiceCopies } from './service-copies.ts';
export {
  createStackHome,
  type RunningStack,
  type StackOptions,
  startStack,
} from './stack.ts';
export { createTestStore, testMetadata } from './store.ts';
export { travelling } from './travelling.ts';
