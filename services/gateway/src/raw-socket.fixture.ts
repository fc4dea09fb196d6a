import { connect } from 'node:net';

/** A server that closes does so in much less, also on a busy machine. */
const idleMs = 60_000;

/** Writes bytes to a server as they are and returns what came back until it closed, or until a minute of silence. */
export function sendRaw(url: string, bytes: string): Promise<{ text: string; isClosed: boolean }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    const end = (isClosed: boolean) => {
      socket.destroy();
      resolve({ text, isClosed });
    };
    socket.setTimeout(idleMs, () => end(false));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => end(true));
    socket.on('error', () => end(true));
  });
}

/** The status lines of all answers in a raw text. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
