import type { Resolved } from '../run/step-class.ts';

/** What is wrong with a definition, found before any run: a path such as `steps.0.input.url` (empty: the whole), and a sentence. */
export interface DefinitionFault {
  readonly path: string;
  readonly message: string;
}

/** Codes of the faults of templates and conditions. */
export type FaultCode =
  | 'MAPPING_UNRESOLVED'
  | 'TYPE_MISMATCH'
  | 'RESULT_TOO_LARGE'
  | 'LIMIT_EFFORT'
  | 'INVALID_INPUT'
  | 'INVALID_PHONE';

/** The fault of a template or a condition that cannot be worked out, which always counts as a wiring error. */
export const wiringFault = (code: FaultCode, message: string): Extract<Resolved<never>, { ok: false }> => ({
  ok: false,
  code,
  class: 'wiring_error',
  message,
});

export const value = <T>(of: T): Resolved<T> => ({ ok: true, value: of });
