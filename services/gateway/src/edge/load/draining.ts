import type { Server } from 'node:http';
import { setImmediate as afterSockets, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const pollMs = 20;

/**
 * The last seconds of a gateway: every answer says `Connection: close`, so that clients take their next request
 * elsewhere instead of meeting a connection that is being closed.
 */
export class Draining {
  readonly #listeners = new Set<() => void>();
  #isUnderWay = false;

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /**
   * For connections that do not end by themselves, such as feeds: `leave` is called when draining begins, or at
   * once when it has begun already. Returns a function that takes `leave` off again.
   */
  onStart(leave: () => void): () => void {
    this.#listeners.add(leave);
    if (this.#isUnderWay) leave();
    return () => this.#listeners.delete(leave);
  }

  /**
   * Begins draining; resolves when every connection is closed, at the latest after `graceMs`. It counts only after
   * a turn of the event loop that handles sockets: the system accepts connections before the server hears of them.
   */
  async start(server: Server, graceMs: number): Promise<void> {
    this.#isUnderWay = true;
    for (const leave of this.#listeners) leave();
    const connections = promisify(server.getConnections.bind(server));
    const deadline = performance.now() + graceMs;
    do {
      await sleep(pollMs);
      // Timers fire before sockets are read: a process that was busy for longer has not seen new connections yet.
      await afterSockets();
    } while (performance.now() < deadline && (await connections()) > 0);
  }
}
