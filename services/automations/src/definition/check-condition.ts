import { binaryOperators, maxConditions, unaryOperators } from '@parley/contracts';

type Faults = Record<string, string[]>;

const kinds = ['op', 'all', 'any', 'not'] as const;

/** Faults in the shape of a condition, by field; its schema would call the whole of it invalid. */
export function conditionFaults(condition: unknown, at: string): Faults {
  const given = Object(condition);
  const [kind, ...others] = kinds.filter((name) => Object.hasOwn(given, name));
  if (kind === undefined || others.length > 0)
    return {
      [at]: [
        'A condition must be one of {op, left, right}, {op, left}, {all: […]}, {any: […]} and {not: {…}}.',
      ],
    };
  if (kind === 'op') return comparisonFaults(given, at);
  const unknown = unknownFields(given, [kind], at);
  if (kind === 'not') return { ...unknown, ...conditionFaults(given.not, `${at}.not`) };
  const list: unknown = given[kind];
  if (!Array.isArray(list) || list.length === 0 || list.length > maxConditions)
    return { ...unknown, [`${at}.${kind}`]: [`There must be a list of 1 to ${maxConditions} conditions.`] };
  const inner = list.map((child: unknown, index) => conditionFaults(child, `${at}.${kind}.${index}`));
  return Object.assign(unknown, ...inner);
}

function comparisonFaults(given: Readonly<Record<string, unknown>>, at: string): Faults {
  const { op } = given;
  const isBinary = binaryOperators.some((known) => known === op);
  if (!isBinary && !unaryOperators.some((known) => known === op)) {
    const known = `with left and right ${binaryOperators.join(', ')}; with left alone ${unaryOperators.join(', ')}`;
    return { [`${at}.op`]: [`There is no such operator; there are ${known}.`] };
  }
  const operands = isBinary ? ['left', 'right'] : ['left'];
  const faults = unknownFields(given, ['op', ...operands, ...(isBinary ? ['ignore_case'] : [])], at);
  for (const name of operands)
    if (given[name] === undefined) faults[`${at}.${name}`] = [`The operator ${op} needs a ${name}.`];
  if (isBinary && !['undefined', 'boolean'].includes(typeof given.ignore_case))
    faults[`${at}.ignore_case`] = ['The ignore case field must be true or false.'];
  return faults;
}

function unknownFields(given: object, known: readonly string[], at: string): Faults {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.length === 0 ? {} : { [at]: [`The condition has unknown fields: ${unknown.join(', ')}.`] };
}
