import type { ProviderResult } from '@parley/providers';
import { InboundLines } from './inbound-lines.ts';

export const lost = { kind: 'unknown', message: 'no answer' } as const;

const conflict = { kind: 'rejected', code: 'conflict', message: 'Conflicting SIP Trunks' } as const;

const refused = { kind: 'rejected', code: 'invalid_argument', message: 'No.' } as const;

/**
 * A voice platform with its trunks. `isDeaf`: it does what it is asked, but its answer is lost; `refusals`: how many
 * trunks it refuses to make; `allowed`: from which addresses each trunk accepts calls.
 */
export function platform({ isReady = true, isDeaf = false, refusals = 0 } = {}) {
  let left = refusals;
  const trunks = new Map<string, { readonly reference: string; readonly number: string }>();
  const answer = <T>(value: T): ProviderResult<T> => (isDeaf ? lost : { kind: 'ok', value });
  const allowed = new Map<string, readonly string[] | null>();
  const platformOfLines: ConstructorParameters<typeof InboundLines>[0] = {
    receiveCalls: async () => (isReady ? { kind: 'ok', value: undefined } : lost),
    findTrunks: async (_, { reference }) => ({
      kind: 'ok',
      value: [...trunks].flatMap(([id, trunk]) => (trunk.reference === reference ? [id] : [])),
    }),
    inboundOf: async (wanted) => ({
      kind: 'ok',
      value: [...trunks.values()].flatMap(({ reference, number }) => (number === wanted ? [reference] : [])),
    }),
    async createTrunk(direction, { reference, number, allowedIps: ips }) {
      left -= 1;
      if (left >= 0) return refused;
      if ([...trunks.values()].some((trunk) => trunk.number === number)) return conflict;
      const id = `${direction} ${trunks.size}`;
      trunks.set(id, { reference, number });
      allowed.set(id, ips);
      return answer('id');
    },
    async replaceTrunk(_, id, { allowedIps: ips }) {
      allowed.set(id, ips);
      return answer(undefined);
    },
    async deleteTrunk(id) {
      trunks.delete(id);
      return answer(undefined);
    },
  };
  return { allowed, lines: new InboundLines(platformOfLines), platform: platformOfLines, trunks };
}
