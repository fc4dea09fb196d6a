import { binaryOperators, maxConditions, unaryOperators } from '@parley/contracts';
import type { DefinitionFault } from '../expression/fault.ts';

const kinds = ['op', 'all', 'any', 'not'] as const;
const forms = '{op, left, right}, {op, left}, {all: […]}, {any: […]} and {not: {…}}';

/** Faults in the shape of a condition, each at its place; its schema would call the whole of it invalid. */
export function* conditionFaults(condition: unknown, path: string): Iterable<DefinitionFault> {
  const given = Object(condition);
  const [kind, ...others] = kinds.filter((name) => Object.hasOwn(given, name));
  if (kind === undefined || others.length > 0) {
    yield { path, message: `A condition must be one of ${forms}.` };
    return;
  }
  if (kind === 'op') {
    yield* comparisonFaults(given, path);
    return;
  }
  yield* unknownFields(given, [kind], path);
  if (kind === 'not') {
    yield* conditionFaults(given.not, `${path}.not`);
    return;
  }
  const list: unknown = given[kind];
  if (!Array.isArray(list) || list.length === 0 || list.length > maxConditions)
    yield { path: `${path}.${kind}`, message: `There must be a list of 1 to ${maxConditions} conditions.` };
  else for (const [index, child] of list.entries()) yield* conditionFaults(child, `${path}.${kind}.${index}`);
}

function* comparisonFaults(
  given: Readonly<Record<string, unknown>>,
  path: string,
): Iterable<DefinitionFault> {
  const { op } = given;
  const isBinary = binaryOperators.some((known) => known === op);
  if (!isBinary && !unaryOperators.some((known) => known === op)) {
    const known = `with left and right ${binaryOperators.join(', ')}; with left alone ${unaryOperators.join(', ')}`;
    yield { path: `${path}.op`, message: `There is no such operator; there are ${known}.` };
    return;
  }
  const operands = isBinary ? ['left', 'right'] : ['left'];
  yield* unknownFields(given, ['op', ...operands, ...(isBinary ? ['ignore_case'] : [])], path);
  for (const name of operands)
    if (given[name] === undefined)
      yield { path: `${path}.${name}`, message: `The operator ${op} needs a ${name}.` };
  if (isBinary && !['undefined', 'boolean'].includes(typeof given.ignore_case))
    yield { path: `${path}.ignore_case`, message: 'The ignore case field must be true or false.' };
}

function* unknownFields(given: object, known: readonly string[], path: string): Iterable<DefinitionFault> {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) yield { path, message: `The condition has unknown fields: ${unknown.join(', ')}.` };
}
