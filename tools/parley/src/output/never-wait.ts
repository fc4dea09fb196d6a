/**
 * Makes writes to a terminal non-blocking: a terminal that takes nothing (Ctrl-S, a hanging connection) would stop
 * the whole process. What it has not taken waits in memory.
 */
export function neverWaitFor(stream: NodeJS.WriteStream): void {
  const handle: unknown = Reflect.get(stream, '_handle');
  if (stream.isTTY && isTerminal(handle)) handle.setBlocking(false);
}

const isTerminal = (handle: unknown): handle is { setBlocking(isBlocking: boolean): void } =>
  typeof handle === 'object' &&
  handle !== null &&
  'setBlocking' in handle &&
  typeof handle.setBlocking === 'function';
