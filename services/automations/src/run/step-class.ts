/** Why a step failed, as the API classifies it (service-api, section 2: Automation run). */
export type FailureClass = 'wiring_error' | 'missing_connection' | 'missing_record';

/** A step's failure: `code` is stable and in capitals; `message` is for people and holds no secret. */
export interface StepFault {
  readonly code: string;
  readonly class: FailureClass;
  readonly message: string;
}

/** A value, or why there is none. */
export type Resolved<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & StepFault);
