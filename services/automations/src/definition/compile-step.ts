import type {
  AutomationActionStep,
  AutomationBranchStep,
  AutomationDelayStep,
  AutomationStep,
} from '@parley/contracts';
import { automationLimits, fieldErrors } from '@parley/contracts';
import type { Window } from '@parley/opening-hours';
import { z } from 'zod';
import type { ActionModules } from '../actions/action-modules.ts';
import { compileCondition } from '../expression/condition.ts';
import { value, wiringFault } from '../expression/fault.ts';
import { compileTemplate, hasTemplate, isTemplate, type Reference } from '../expression/template.ts';
import type { JsonValue } from '../json.ts';
import { delayEnd } from '../run/advance/delay-time.ts';
import type { Mention } from './check-references.ts';
import type { ActionStep, BranchStep, CompiledStep, DelayStep } from './compiled.ts';
import { dayMs, durationMs } from './settings.ts';
import { stepPath } from './step-path.ts';

interface Options {
  readonly actions: ActionModules;
  readonly timezone: string;
  readonly onFault: (path: string, message: string) => void;
  /** By step path: filled while steps are compiled. */
  readonly mentions: Map<string, readonly Mention[]>;
}

const defaultAttempts = 4;

/** Compiles the steps of a definition with their templates and conditions, and tells of their faults. */
export class StepCompiler {
  readonly #options: Options;
  #count = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  compile(steps: readonly AutomationStep[], parent = '', at = 'steps'): readonly CompiledStep[] {
    this.#count += steps.length;
    if (this.#count > automationLimits.steps)
      this.#options.onFault(at, `An automation must not have more than ${automationLimits.steps} steps.`);
    return steps.map((step, index) => this.#step(step, stepPath(parent, step.id), `${at}.${index}`));
  }

  #step(step: AutomationStep, path: string, at: string): CompiledStep {
    switch (step.type) {
      case 'stop':
        return { ...named(step, path), kind: 'stop' };
      case 'delay':
        return this.#delay(step, path, at);
      case 'branch':
        return this.#branch(step, path, at);
      default:
        return this.#action(step, path, at);
    }
  }

  #action(step: AutomationActionStep, path: string, at: string): ActionStep {
    const source: JsonValue = step.input ?? {};
    const general = this.#options.actions[step.type];
    const action = general.forSource?.(source) ?? general;
    const { resolve, references } = this.#template(source, `${at}.input`);
    this.#mention(path, references, `${at}.input`);
    this.#checkInput(action.input, source, `${at}.input`);
    for (const [field, message] of general.faultsOf?.(source) ?? [])
      this.#options.onFault(`${at}.input.${field}`, message);
    return {
      ...named(step, path),
      kind: 'action',
      action,
      connection: step.connection ?? null,
      attempts: step.retry?.attempts ?? defaultAttempts,
      onUnknown: step.on_unknown ?? 'fail',
      resolve: (scope) => {
        const resolved = resolve(scope);
        if (!resolved.ok) return resolved;
        const parsed = action.input.safeParse(resolved.value);
        if (!parsed.success) {
          const [fault] = Object.entries(fieldErrors(parsed.error, resolved.value));
          return wiringFault(
            'INVALID_INPUT',
            fault ? `${fault[0]}: ${fault[1].join(' ')}` : 'The input is invalid.',
          );
        }
        return value(parsed.data as JsonValue);
      },
    };
  }

  /**
   * Tells of faults that remain whatever the templates yield: missing fields, and wrong values that are no templates.
   */
  #checkInput(schema: ActionStep['action']['input'], source: JsonValue, at: string): void {
    const parsed = schema.safeParse(source);
    if (parsed.success) return;
    const definite = parsed.error.issues.filter((issue) => !isLeftToTemplates(source, issue));
    for (const [field, messages] of Object.entries(fieldErrors(new z.ZodError(definite), source)))
      for (const message of messages)
        this.#options.onFault(field === 'body' ? at : `${at}.${field}`, message);
  }

  #delay(step: AutomationDelayStep, path: string, at: string): DelayStep {
    const { timezone } = this.#options;
    const spec = step.for === undefined ? { until: step.until ?? '' } : { for: step.for };
    if ((step.for === undefined) === (step.until === undefined))
      this.#options.onFault(at, 'A delay needs either for or until.');
    else if ('for' in spec && !isTemplate(spec.for) && !isPossibleDelay(spec.for))
      this.#options.onFault(
        `${at}.for`,
        `The delay must be an ISO 8601 duration of at most ${automationLimits.maxDelayDays} days, whenever it begins.`,
      );
    else if ('until' in spec && !isTemplate(spec.until) && !delayEnd(0, spec, timezone, null).ok)
      this.#options.onFault(`${at}.until`, 'The delay must end at an ISO 8601 date and time.');
    if (step.window && step.window.from >= step.window.to)
      this.#options.onFault(`${at}.window.to`, 'The window must end later on the same day than it begins.');
    const text = this.#template(
      'for' in spec ? spec.for : spec.until,
      'for' in spec ? `${at}.for` : `${at}.until`,
    );
    this.#mention(path, text.references, at);
    return {
      ...named(step, path),
      kind: 'delay',
      window: step.window ? businessWindow(step.window) : null,
      resolve: (scope) => {
        const resolved = text.resolve(scope);
        if (!resolved.ok) return resolved;
        if (typeof resolved.value !== 'string')
          return wiringFault('INVALID_INPUT', 'The delay is not a text.');
        return value('for' in spec ? { for: resolved.value } : { until: resolved.value });
      },
    };
  }

  #branch(step: AutomationBranchStep, path: string, at: string): BranchStep {
    const references: Mention[] = [];
    const branches = step.branches.map(({ id, when, steps }, index) => {
      const here = `${at}.branches.${index}`;
      const condition = compileCondition(when, { ...this.#options, at: `${here}.when` });
      references.push(...condition.references.map((reference) => ({ at: `${here}.when`, reference })));
      return { id, when: condition.holds, steps: this.compile(steps, stepPath(path, id), `${here}.steps`) };
    });
    this.#options.mentions.set(path, references);
    return {
      ...named(step, path),
      kind: 'branch',
      branches,
      otherwise: this.compile(step.else ?? [], stepPath(path, 'else'), `${at}.else`),
    };
  }

  #template = (source: JsonValue, at: string) => compileTemplate(source, { ...this.#options, at });

  #mention(path: string, references: readonly Reference[], at: string): void {
    this.#options.mentions.set(
      path,
      references.map((reference) => ({ at, reference })),
    );
  }
}

/** What all kinds of steps have; where no name is given, the id is the name. */
const named = ({ id, name = id, type }: AutomationStep, path: string) => ({ id, name, path, type });

/**
 * Whether a template may still mend the issue: the nearest value on the way to it is a template, or holds one. Names of
 * fields are no templates.
 */
function isLeftToTemplates(source: JsonValue, { code, path }: z.core.$ZodIssue): boolean {
  if (code === 'invalid_key') return false;
  let current: JsonValue | undefined = source;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) break;
    if (!Object.hasOwn(current, key)) return false;
    current = (current as Readonly<Record<PropertyKey, JsonValue>>)[key];
  }
  return path.length > 0 && current !== undefined && hasTemplate(current);
}

/** Months in which a year begins that has a 29 February, and one that has none. */
const months = Array.from({ length: 15 }, (_, index) =>
  new Date(Date.UTC(2027, index)).toISOString().slice(0, 'YYYY-MM'.length),
);

/** Whether it is short enough whenever a run comes to it. */
const isPossibleDelay = (text: string): boolean =>
  months.every((month) => {
    const ms = durationMs(text, month);
    return ms !== undefined && ms >= 0 && ms <= automationLimits.maxDelayDays * dayMs;
  });

/** A window with its weekdays read: `1-5,7` are numbers of days, and `6-1` goes on over the end of the week. */
const businessWindow = ({ days, from, to }: NonNullable<AutomationDelayStep['window']>): Window => ({
  days: [
    ...new Set(
      days.split(',').flatMap((range) => {
        const [first = 1, last = first] = range.split('-').map(Number);
        return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, day) => ((first - 1 + day) % 7) + 1);
      }),
    ),
  ],
  from,
  to,
});
