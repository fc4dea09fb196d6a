export { type BatchLoad, createBatchLoader } from './batch-loader.ts';
export { InOrderBuffer } from './in-order-buffer.ts';
export { Nap } from './nap.ts';
export { Places, type PlacesOptions } from './places.ts';
