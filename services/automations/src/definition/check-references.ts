import type { AutomationStep } from '@parley/contracts';
import type { Reference } from '../expression/template.ts';
import { stepPath } from './step-path.ts';

/** A path that a step reads in a template, and where it stands in the definition. */
export interface Mention {
  readonly at: string;
  readonly reference: Reference;
}

type OnFault = (path: string, message: string) => void;

/** Which steps with an output have run before the present place of the walk. */
interface Ran {
  /** On every path that leads to it. */
  readonly surely: ReadonlySet<string>;
  /** On one path at least. */
  readonly perhaps: ReadonlySet<string>;
}

/**
 * Checks what templates read of steps. An output can be read once its step has run: one that has run on some paths only
 * needs a `default`, and one that has run on none can never be read, nor can a delay or a stop. Also checked: ids are
 * unique, and every step can be reached.
 */
export function checkReferences(
  steps: readonly AutomationStep[],
  mentions: ReadonlyMap<string, readonly Mention[]>,
  onFault: OnFault,
): void {
  const ids = new Set<string>();
  const withoutOutput = new Set<string>();
  const nothing: Ran = { surely: new Set(), perhaps: new Set() };
  walk(steps, '', 'steps', nothing);

  function walk(list: readonly AutomationStep[], parent: string, at: string, start: Ran): Ran | null {
    let ran: Ran | null = start;
    for (const [index, step] of list.entries()) {
      const here = `${at}.${index}`;
      if (ids.has(step.id)) onFault(`${here}.id`, `The id ${step.id} is taken by an earlier step.`);
      ids.add(step.id);
      if (!ran) {
        onFault(here, 'This step can never be reached: the steps before it stop the run.');
        return null;
      }
      const path = stepPath(parent, step.id);
      for (const mention of mentions.get(path) ?? []) check(mention, ran);
      ran = step.type === 'stop' ? null : step.type === 'branch' ? branch(step, path, here, ran) : ran;
      if (step.type === 'delay' || step.type === 'stop') withoutOutput.add(step.id);
      else ran &&= { surely: with_(ran.surely, step.id), perhaps: with_(ran.perhaps, step.id) };
    }
    return ran;
  }

  function branch(
    { branches, else: otherwise = [] }: Extract<AutomationStep, { type: 'branch' }>,
    path: string,
    at: string,
    before: Ran,
  ): Ran | null {
    const names = new Set(['else']);
    for (const [index, { id }] of branches.entries()) {
      if (names.has(id)) onFault(`${at}.branches.${index}.id`, `The id ${id} is taken by another branch.`);
      names.add(id);
    }
    const ends = branches.map(({ id, steps: inner }, index) =>
      walk(inner, stepPath(path, id), `${at}.branches.${index}.steps`, before),
    );
    ends.push(walk(otherwise, stepPath(path, 'else'), `${at}.else`, before));
    const [first, ...others] = ends.filter((end) => end !== null);
    if (!first) return null;
    return others.reduce<Ran>(
      (ran, end) => ({
        surely: ran.surely.intersection(end.surely),
        perhaps: ran.perhaps.union(end.perhaps),
      }),
      first,
    );
  }

  function check({ at, reference: { path, hasDefault } }: Mention, ran: Ran): void {
    if (path?.step === null || path === null) return;
    if (withoutOutput.has(path.step))
      onFault(at, `"${path.text}" reads a step that has no output: a delay or a stop.`);
    else if (!ran.perhaps.has(path.step))
      onFault(at, `"${path.text}" reads a step that does not run before this one.`);
    else if (!hasDefault && !ran.surely.has(path.step))
      onFault(at, `"${path.text}" reads a step that not every path runs; give it a default.`);
  }
}

const with_ = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => new Set(ids).add(id);
