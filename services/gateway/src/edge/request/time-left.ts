import type { FastifyRequest } from 'fastify';

/** Milliseconds that are left for a request's answer. */
export const timeLeftOf = ({ endsAtMs }: FastifyRequest): number => endsAtMs - performance.now();
