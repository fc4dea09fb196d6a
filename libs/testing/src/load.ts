import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** The bytes of the n-th HTTP/1.1 request. */
  readonly request: (n: number) => string;
  /** Requests begin this often, as long as a connection is free; as fast as they are answered when absent. */
  readonly perSecond?: number;
  /** Called for every request that has ended. */
  readonly onEnd?: (ended: EndedRequest) => void;
}

export interface EndedRequest {
  /** 0 when the connection ended without a whole answer. */
  readonly status: number;
  readonly ms: number;
  /** How the answer begins: its status line and headers at least, as they came. */
  readonly answer: string;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many requests ended with which status; 0 for those whose connection ended first. */
  readonly statuses: ReadonlyMap<number, number>;
}

/**
 * A closed loop of keep-alive connections, each with one request under way; one that ends is made anew. Rejects when a
 * connection cannot be made. Written on bare sockets because the load runs on the same cores as what it measures: a
 * general client spends more per request than the servers do.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  const statuses = new Map<number, number>();
  const startedAt = performance.now();
  const endsAt = startedAt + options.durationMs;
  let sent = 0;

  function onEnd(ended: EndedRequest): void {
    statuses.set(ended.status, (statuses.get(ended.status) ?? 0) + 1);
    latencies.push(ended.ms);
    options.onEnd?.(ended);
  }

  /** Asks until the time is over, which it resolves with, or until the connection ends. */
  const converse = (socket: Socket) =>
    new Promise<boolean>((resolve, reject) => {
      let isConnected = false;
      let answer = '';
      let missing = 0;
      let sentAt = 0;
      let isAsked = false;
      const next = () => {
        const now = performance.now();
        const turnAt = options.perSecond ? startedAt + (sent * 1_000) / options.perSecond : now;
        if (Math.max(now, turnAt) >= endsAt) {
          socket.end();
          resolve(true);
          return;
        }
        const n = sent++;
        const send = () => {
          sentAt = performance.now();
          isAsked = true;
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
          answer = answer === '' ? chunk : answer + chunk;
          const length = responseLength(answer);
          if (length === undefined) return;
          missing = length - answer.length;
        }
        if (missing > 0) return;
        isAsked = false;
        onEnd({ status: Number(answer.slice(9, 12)), ms: performance.now() - sentAt, answer });
        answer = '';
        next();
      });
      socket.once('error', (error) => {
        if (!isConnected) reject(error);
      });
      socket.once('close', () => {
        if (isAsked) onEnd({ status: 0, ms: performance.now() - sentAt, answer });
        resolve(false);
      });
      socket.once('connect', () => {
        isConnected = true;
        next();
      });
    });

  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      while (!(await converse(connect(options.port, '127.0.0.1'))));
    }),
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
