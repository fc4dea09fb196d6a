import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createOutgoingHttp } from './index.ts';

/** The longest queue of connections that nobody has taken yet. */
const backlog = 1;
const endpoint = `
  import { createServer } from 'node:http';
  const server = createServer((_, response) => response.end('here'));
  server.listen({ host: '127.0.0.1', port: 0, backlog: ${backlog} }, () => console.log(server.address().port));`;

/** An endpoint whose queue is full, so that connections are not made until it goes on, and is asked again. */
async function startFull() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', endpoint]);
  const [line] = await once(child.stdout, 'data');
  const port = Number(String(line));
  child.kill('SIGSTOP');
  const queued = Array.from({ length: backlog + 1 }, () => connect(port, '127.0.0.1'));
  await Promise.all(queued.map((socket) => once(socket, 'connect')));
  onTestFinished(() => {
    for (const socket of queued) socket.destroy();
    child.kill('SIGKILL');
  });
  return { port, goOn: () => child.kill('SIGCONT') };
}

const asHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');

/** Linux asks again after a second: longer than Node waits by itself before it tries the next address. */
test.runIf(process.platform === 'linux')(
  'an endpoint that is far away is connected to, though its name has an address that cannot be reached as well',
  async () => {
    const { port, goOn } = await startFull();
    const http = createOutgoingHttp({ allowLoopback: true, resolve: async () => ['127.0.0.1', '::1'] });
    onTestFinished(() => http.close());
    const answer = http.request({ method: 'GET', url: `http://far.example:${port}/` });
    await eventually(async () =>
      expect(await readFile('/proc/net/tcp', 'utf8')).toMatch(new RegExp(`:${asHex(port)} 02 `)),
    );
    goOn();
    expect(await answer).toMatchObject({ kind: 'answered', body: 'here' });
  },
);
