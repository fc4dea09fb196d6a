import { createHash } from 'node:crypto';
import type { AutomationStep } from '@parley/contracts';
import { stepPath } from './step-path.ts';

/**
 * For each step, by its path, a hash of everything that runs before it and of how it is reached. Two versions whose
 * hashes agree at a step have the same past there: a run can go on in either. Names for people do not count.
 */
export function prefixHashes(steps: readonly AutomationStep[]): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  walk(steps, '', 'start', hashes);
  return hashes;
}

function walk(
  steps: readonly AutomationStep[],
  parent: string,
  start: string,
  hashes: Map<string, string>,
): void {
  let before = start;
  for (const step of steps) {
    const path = stepPath(parent, step.id);
    hashes.set(path, before);
    if (step.type === 'branch') {
      let conditions = before;
      for (const { id, when, steps: inner } of step.branches) {
        conditions = chain(conditions, { branch: path, id, when });
        walk(inner, stepPath(path, id), conditions, hashes);
      }
      walk(step.else ?? [], stepPath(path, 'else'), chain(conditions, { branch: path, id: 'else' }), hashes);
    }
    before = chain(before, withoutNames(step));
  }
}

function withoutNames({ name: _, ...step }: AutomationStep): object {
  if (step.type !== 'branch') return step;
  return {
    ...step,
    branches: step.branches.map(({ id, when, steps }) => ({ id, when, steps: steps.map(withoutNames) })),
    else: (step.else ?? []).map(withoutNames),
  };
}

const chain = (before: string, next: unknown): string => canonicalHash([before, next]);

/** SHA-256 of a value as JSON, in hexadecimal; the same for equal values, whatever the order of their fields. */
export const canonicalHash = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex');

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, child]) => `${JSON.stringify(name)}:${canonical(child)}`).join(',')}}`;
}
