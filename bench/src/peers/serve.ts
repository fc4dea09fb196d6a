import type { FastifyInstance } from 'fastify';

/** Listens where it was told to, says so, and ends with whoever started it. */
export async function serve(app: FastifyInstance): Promise<void> {
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
  process.send?.({ type: 'ready' });
  process.once('disconnect', () => process.exit(0));
}
