import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const pollMs = 20;

/**
 * The last seconds of a gateway: every answer says `Connection: close`, so that clients take their next request
 * elsewhere instead of meeting a connection that is being closed.
 */
export class Draining {
  #isUnderWay = false;

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** Resolves when every client has left, at the latest after `graceMs`: those that stay are idle. */
  async start(server: Server, graceMs: number): Promise<void> {
    this.#isUnderWay = true;
    const connections = promisify(server.getConnections.bind(server));
    const deadline = performance.now() + graceMs;
    while (performance.now() < deadline && (await connections()) > 0) await sleep(pollMs);
  }
}
