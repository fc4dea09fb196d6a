import 'reflect-metadata';
import { hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type INestMicroservice, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BusServer } from '@parley/message-bus/nest';
import { createLogger, loadConfig } from '@parley/process-kit';
import { onTestFinished } from 'vitest';
import { gatewayConfig } from './config.ts';
import { type GatewayOptions, type RunningGateway, startGateway } from './start-gateway.ts';

/** One copy of a service made of the given Nest controllers. */
export async function startService(
  natsUrl: string,
  service: string,
  controllers: Type[],
): Promise<INestMicroservice> {
  @Module({ controllers })
  class TestModule {}
  const strategy = new BusServer({ servers: natsUrl, service });
  const app = await NestFactory.createMicroservice(TestModule, { strategy, logger: false });
  await app.listen();
  return app;
}

export interface TestGatewayOptions extends GatewayOptions {
  readonly natsUrl: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Leaves at once when closed: the clients of tests keep their connections open for ever. Refuses nothing for the lag of
 * its event loop, which is the test's own.
 */
export async function startTestGateway({
  natsUrl,
  env,
  ...options
}: TestGatewayOptions): Promise<RunningGateway> {
  const config = loadConfig(gatewayConfig, { NATS_URL: natsUrl, PORT: '0', ...env });
  const logger = createLogger({ service: 'gateway', level: 'silent' });
  const pressure = { maxLoopDelayMs: Number.POSITIVE_INFINITY, warmUpMs: 0 };
  return startGateway(config, logger, { drainMs: 0, pressure, ...options });
}

/** Runs for the current test only. */
export async function withGateway(options: TestGatewayOptions): Promise<RunningGateway> {
  const gateway = await startTestGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

/** The keys that the accounts service of a test knows, with a log of what was deleted. */
export class TestKeys {
  readonly #accounts = new Map<
    string,
    { readonly api_key_id: number; readonly account_id: number; readonly expires: boolean }
  >();
  readonly #deleted: { readonly position: number; readonly id: number }[] = [];
  /** Times that keys were looked up. */
  lookUps = 0;
  /** Times that limits were asked for. */
  limitsAsked = 0;
  /** How long accounts thinks about a limit. */
  limitsTakeMs = 0;
  leaseMs = 500;
  #last = 0;
  #position = 0;
  #held: Promise<void> | undefined;

  /** A key of a new account, or of the given one. */
  issue(accountId?: number): string {
    const token = randomBytes(32).toString('base64url');
    this.#last += 1;
    this.#position += 1;
    this.#accounts.set(hash('sha256', token, 'hex'), {
      api_key_id: this.#last,
      account_id: accountId ?? this.#last,
      expires: false,
    });
    return token;
  }

  /** Resolves, as accounts answers, when no gateway goes by the key any more. */
  async delete(token: string): Promise<void> {
    const tokenHash = hash('sha256', token, 'hex');
    const id = this.#accounts.get(tokenHash)?.api_key_id ?? 0;
    this.#accounts.delete(tokenHash);
    this.#position += 1;
    this.#deleted.push({ position: this.#position, id });
    await sleep(2 * this.leaseMs);
  }

  /** From now on accounts answers nothing about keys, until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  async resolve(tokenHashes: readonly string[]) {
    this.lookUps += 1;
    await this.#held;
    return {
      keys: tokenHashes.map((tokenHash) => this.#accounts.get(tokenHash) ?? null),
      position: this.#position,
    };
  }

  async listDeleted(after: number) {
    await this.#held;
    const deleted = this.#deleted.filter(({ position }) => position > after).map(({ id }) => id);
    return { position: this.#position, deleted, lease_ms: this.leaseMs };
  }
}
