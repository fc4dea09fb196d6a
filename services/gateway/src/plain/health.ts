import { resolveApiKeys } from '@parley/contracts';
import type { FastifyInstance } from 'fastify';
import type { Edge } from '../edge/edge.ts';
import { ownRequest } from '../edge/request/own-request.ts';

const timeoutMs = 1000;
/** A look-up of no one's key: it passes the bus, the accounts service and its database. */
const probe = { token_hashes: ['0'.repeat(64)] };

/** Alive: the process answers. Ready: it can serve, that is, keys can be looked up, and it is not leaving. */
export function registerHealth(app: FastifyInstance, edge: Edge): void {
  app.get('/health/live', () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    const accounts = await isAccountsReachable(edge);
    const isReady = accounts && !edge.draining.isUnderWay;
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ready' : edge.draining.isUnderWay ? 'draining' : 'not ready',
      checks: { accounts: accounts ? 'reachable' : 'unreachable' },
    });
  });
}

async function isAccountsReachable({ bus }: Edge): Promise<boolean> {
  try {
    const reply = await bus.request(ownRequest(resolveApiKeys, probe, timeoutMs));
    return reply.kind === 'ok';
  } catch {
    return false;
  }
}
