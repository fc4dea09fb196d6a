import { advanceClock, operatorSubject, serviceNames, setBalance } from '@parley/contracts';
import { BusServer } from '@parley/message-bus/nest';
import { startOwnNats } from '@parley/testing';

export interface TestServices {
  readonly natsUrl: string;
  /** The offsets that each service was told, in order. */
  readonly offsets: ReadonlyMap<string, readonly number[]>;
  /** Services in here refuse to move their clock. */
  readonly refusing: Set<string>;
  close(): Promise<void>;
}

export const knownEmail = 'demo@example.com';

/** Every service's operator side, on a NATS of its own: on the run's, services under test may answer too. */
export async function startTestServices(): Promise<TestServices> {
  const nats = await startOwnNats();
  const offsets = new Map<string, readonly number[]>();
  const refusing = new Set<string>();
  const servers = await Promise.all(
    serviceNames.map(async (service) => {
      const server = new BusServer({ servers: [nats.url], service });
      server.addHandler(operatorSubject(service, advanceClock), async (payload: unknown) => {
        const { offset_seconds } = advanceClock.input.parse(payload);
        if (refusing.has(service)) return { kind: 'rejected', rejection: { code: 'unavailable' } };
        offsets.set(service, [...(offsets.get(service) ?? []), offset_seconds]);
        return { kind: 'ok', body: JSON.stringify({ now: new Date().toISOString() }) };
      });
      if (service === setBalance.service)
        server.addHandler(`cmd.${service}.${setBalance.name}`, async (payload: unknown) => {
          const { email, total_micros } = setBalance.input.parse(payload);
          if (email !== knownEmail) return { kind: 'rejected', rejection: { code: 'not_found' } };
          return { kind: 'ok', body: JSON.stringify({ available_micros: total_micros, reserved_micros: 0 }) };
        });
      await new Promise<void>((resolve, reject) => {
        server.listen((error) => (error ? reject(error) : resolve()));
      });
      return server;
    }),
  );
  return {
    natsUrl: nats.url,
    offsets,
    refusing,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await nats.stop();
    },
  };
}
