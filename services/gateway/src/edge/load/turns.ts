import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Turn {
  readonly response: ServerResponse;
  isWaiting: boolean;
}

/**
 * Handles the requests of one connection one after the other. A pipelined request begins only when the answers
 * before it have left: it would otherwise wait in memory, or hold an open file, while the client reads nothing.
 * While one waits, nothing more is read from the connection.
 */
export class Turns {
  readonly #last = new WeakMap<Socket, Turn>();

  /** Calls `begin` when it is the request's turn; never when the connection ends before that. */
  wait({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const before = this.#last.get(socket);
    const turn: Turn = { response, isWaiting: before !== undefined && !before.response.closed };
    this.#last.set(socket, turn);
    // Node itself reads on whenever what it had to send has left.
    if (!before) socket.on('resume', () => this.#hold(socket));
    if (!before || !turn.isWaiting) {
      begin();
      return;
    }
    // Not before all that has come by now is parsed: Node reads on at the end of each request in it.
    process.nextTick(() => this.#hold(socket));
    // In a turn of the event loop of its own: other connections have theirs in between.
    before.response.once('close', () =>
      setImmediate(() => socket.writable && this.#begin(socket, turn, begin)),
    );
  }

  #begin(socket: Socket, turn: Turn, begin: () => void): void {
    turn.isWaiting = false;
    if (this.#last.get(socket) === turn) socket.resume();
    begin();
  }

  #hold(socket: Socket): void {
    if (this.#last.get(socket)?.isWaiting) socket.pause();
  }
}
