import { isUtf8 } from 'node:buffer';
import { collectFaults, reject } from '@parley/contracts';
import { parseForeignJson } from '@parley/process-kit';
import { BodyFault } from '../edge/request/read-body.ts';
import { findStructureFault, findTextFault } from './json-faults.ts';
import { maxJsonDepth } from './limits.ts';

const malformed = new BodyFault(reject('malformed', { message: 'The request body is not valid JSON.' }));

/** A request body's bytes as a JSON value; `undefined` when there are none. */
export function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return malformed;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch {
    return malformed;
  }
  const fault =
    findStructureFault(text, maxJsonDepth) ?? (text.includes('\\u') ? findTextFault(value) : null);
  return fault ? new BodyFault(reject('invalid', { fields: collectFaults([fault]) })) : value;
}
