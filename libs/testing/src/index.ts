export { createTestDatabase } from './database.ts';
export { eventually } from './eventually.ts';
export { given } from './given.ts';
