import { type RunningStack, startStack } from '@parley/testing';
import type { HttpOperation, HttpSetup, HttpStart } from './contender.ts';
import { settleLog } from './settle-log.ts';

/** What a group builds on: a stack, and a way to say what else is to be stopped, the newest first. */
export interface Ground {
  readonly stack: RunningStack;
  onStop(stop: () => Promise<unknown>): void;
}

/** Starts a stack and what `build` puts beside it; all of it is stopped also when `build` fails. */
export const startingWith =
  (build: (ground: Ground) => Promise<readonly HttpOperation[]>): HttpStart =>
  async (env = {}): Promise<HttpSetup> => {
    const stops: (() => Promise<unknown>)[] = [];
    const stop = async () => {
      for (const each of stops.splice(0)) await each();
    };
    const onStop = (each: () => Promise<unknown>) => void stops.unshift(each);
    const stack = await startStack({ env });
    onStop(() => stack.stop());
    try {
      await settleLog(stack.databaseUrl);
      return { operations: await build({ stack, onStop }), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  };

export const gatewayPort = ({ baseUrl }: RunningStack): number => Number(new URL(baseUrl).port);

/** A service's own database on the stack's server. */
export const databaseOf = (stack: RunningStack, service: string): string =>
  new URL(`/parley_${service}`, stack.databaseUrl).href;

/** The n-th of values in rotation. */
export function inTurn<T>(values: readonly T[], n: number): T {
  const value = values[n % values.length];
  if (value === undefined) throw new Error('There is nothing to choose from.');
  return value;
}

export const mapValues = <T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Map<string, U> =>
  new Map([...map].map(([name, value]) => [name, change(value)]));
