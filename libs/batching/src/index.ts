export { type BatchLoad, createBatchLoader } from './batch-loader.ts';
