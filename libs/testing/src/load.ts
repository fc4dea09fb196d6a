import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** The bytes of the n-th HTTP/1.1 request. */
  readonly request: (n: number) => string;
  /** Requests begin this often, as long as a connection is free; as fast as they are answered when absent. */
  readonly perSecond?: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly statuses: ReadonlyMap<number, number>;
}

/**
 * A closed loop of keep-alive connections, each with one request under way. Written on bare sockets because the load
 * runs on the same cores as what it measures: a general client spends more per request than the servers do.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  const statuses = new Map<number, number>();
  const startedAt = performance.now();
  const endsAt = startedAt + options.durationMs;
  let sent = 0;

  const drive = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let head = '';
      let missing = 0;
      let sentAt = 0;
      const next = () => {
        const now = performance.now();
        const turnAt = options.perSecond ? startedAt + (sent * 1_000) / options.perSecond : now;
        if (Math.max(now, turnAt) >= endsAt) {
          socket.end();
          resolve();
          return;
        }
        const n = sent++;
        const send = () => {
          sentAt = performance.now();
          socket.write(options.request(n));
        };
        if (turnAt > now) setTimeout(send, turnAt - now);
        else send();
      };
      socket.setEncoding('latin1');
      socket.setNoDelay(true);
      socket.on('data', (chunk: string) => {
        if (missing > 0) missing -= chunk.length;
        else {
          head = head === '' ? chunk : head + chunk;
          const length = responseLength(head);
          if (length === undefined) return;
          missing = length - head.length;
        }
        if (missing > 0) return;
        const status = Number(head.slice(9, 12));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        latencies.push(performance.now() - sentAt);
        head = '';
        next();
      });
      socket.once('error', reject);
      socket.once('close', () => resolve());
      socket.once('connect', next);
    });

  await Promise.all(
    Array.from({ length: options.connections }, () => drive(connect(options.port, '127.0.0.1'))),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    requestsPerSecond: latencies.length / seconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    statuses,
  };
}

/** Length of the whole response in bytes once its head is complete; every answer here carries a content-length. */
function responseLength(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const at = text.slice(0, headEnd).toLowerCase().indexOf('\r\ncontent-length:');
  if (at < 0) throw new Error(`A response without content-length: ${text.slice(0, 200)}`);
  return headEnd + 4 + Number.parseInt(text.slice(at + 17, at + 40), 10);
}

/** One request with a bearer key; the body is JSON. */
export function httpRequest(method: string, path: string, key: string, body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
