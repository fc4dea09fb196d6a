import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Turn {
  readonly response: ServerResponse;
  isWaiting: boolean;
}

/**
 * The requests of a connection, one after the other. Of those that a client sends ahead none is begun before the answers
 * to the ones before it have left: each would wait in memory with its answer, or with an open file, while nobody takes it.
 * And while one waits no more of them are read.
 */
export class Turns {
  readonly #last = new WeakMap<Socket, Turn>();

  /** Calls `begin` when the turn of a request has come; never where its connection ends before. */
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
