/** The exit statuses of `parley`. */
export const exitCodes = {
  ok: 0,
  /** The answer is no: drift, not found, already running, a port in use. */
  negative: 1,
  usage: 2,
  /** No stack runs there, it does not answer, or not what was asked. */
  unreachable: 3,
} as const;

/** An expected end: `main` prints the message (no stack trace) and ends with the code. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.negative, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
