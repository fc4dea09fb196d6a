export * from './decider.ts';
export * from './port.ts';
