export { createBatchLoader } from './batch-loader.ts';
export { FairSemaphore } from './fair-semaphore.ts';
export { InOrderBuffer } from './in-order-buffer.ts';
export { Nap } from './nap.ts';
