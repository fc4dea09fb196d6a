import type { RunningStack } from '@parley/testing';
import type { NamedProcess } from './proc.ts';

/** All that a stack consists of, the process that looks after the others included. */
export const processesOf = (stack: RunningStack): NamedProcess[] => [
  { name: 'supervisor', pid: stack.supervisorPid },
  ...stack.processes().flatMap(({ name, pid }) => (pid === null ? [] : [{ name, pid }])),
];

/** The stack's Postgres server, which peers use as well. */
export const postgresOf = (stack: RunningStack): NamedProcess => ({
  name: 'postgres',
  pid: stack.pidOf('postgres'),
});
