import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The requests of a connection, one after the other. Of those that a client sends ahead none is begun before the answers
 * to the ones before it have left: each would wait in memory with its answer, or with an open file, while nobody takes it.
 */
export class Turns {
  readonly #last = new WeakMap<Socket, ServerResponse>();

  /** Calls `begin` when the turn of a request has come; never where its connection ends before. */
  wait({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const before = this.#last.get(socket);
    this.#last.set(socket, response);
    if (!before || before.closed) begin();
    // In a turn of the event loop of its own: other connections have theirs in between.
    else before.once('close', () => setImmediate(() => socket.writable && begin()));
  }
}
