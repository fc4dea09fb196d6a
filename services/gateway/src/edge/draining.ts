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
   * For what would stay for ever: `leave` is called when the gateway begins to leave, at once when it has begun already.
   * Returns how to stop that.
   */
  onStart(leave: () => void): () => void {
    this.#listeners.add(leave);
    if (this.#isUnderWay) leave();
    return () => this.#listeners.delete(leave);
  }

  /**
   * Resolves when every client has left, at the latest after `graceMs`: those that stay are idle. Not before those who came
   * in this moment are counted: the system connects them before the server hears of them.
   */
  async start(server: Server, graceMs: number): Promise<void> {
    this.#isUnderWay = true;
    for (const leave of this.#listeners) leave();
    const connections = promisify(server.getConnections.bind(server));
    const deadline = performance.now() + graceMs;
    do {
      await sleep(pollMs);
      // Timers come before sockets: who was busy for longer than that has not looked at these yet.
      await afterSockets();
    } while (performance.now() < deadline && (await connections()) > 0);
  }
}
