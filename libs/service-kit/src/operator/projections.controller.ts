import { Controller, Inject, type Type } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  getVerification,
  listProjections as listing,
  operatorSubject,
  rebuildProjection as rebuilding,
  reject,
  verifyProjection as verifying,
} from '@parley/contracts';
import type { DecodeEvents } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import {
  type Busy,
  type ListedProjection,
  listProjections,
  type Projection,
  type Rebuilt,
  rebuildProjection,
  type Verified,
  verifyProjection,
} from '@parley/processing';
import type pg from 'pg';
import { SubjectHandler } from '../requests/handlers.ts';
import { jsonReply, notFoundReply, rejectedReply } from '../requests/replies.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { LOGGER, WORK_POOL } from '../tokens.ts';
import { reasonOf } from './reason-of.ts';
import { Verifications } from './verifications.ts';

interface ByName {
  readonly projection: string;
}

/** What operators ask about, and do to, a service's projections. Rebuilds and verifications run in the background. */
export function projectionsController(
  { name: service, projections }: ServiceDefinition,
  decode: DecodeEvents,
): Type {
  @Controller()
  class ProjectionsController {
    readonly #pool: pg.Pool;
    readonly #logger: Logger;
    readonly #verifications: Verifications;

    constructor(@Inject(WORK_POOL) pool: pg.Pool, @Inject(LOGGER) logger: Logger) {
      this.#pool = pool;
      this.#logger = logger;
      this.#verifications = new Verifications(pool);
    }

    @SubjectHandler(operatorSubject(service, listing), listing.input)
    async list(): Promise<BusReply> {
      const listed = await listProjections(this.#pool, projections);
      return jsonReply({ projections: listed.map((each) => ({ ...each, owner: null })) });
    }

    @SubjectHandler(operatorSubject(service, rebuilding), rebuilding.input)
    rebuild(@Payload() input: ByName): Promise<BusReply> {
      return this.#start(input, (projection, onStarted) =>
        rebuildProjection({ projection, pool: this.#pool, decode, onStarted }),
      );
    }

    @SubjectHandler(operatorSubject(service, verifying), verifying.input)
    verify(@Payload() input: ByName): Promise<BusReply> {
      return this.#start(input, async (projection, onStarted) => {
        const { name } = projection;
        try {
          return await verifyProjection({
            projection,
            pool: this.#pool,
            decode,
            onStarted: async () => {
              await this.#verifications.started(name);
              onStarted();
            },
            onVerified: (found) => this.#verifications.ended(name, found),
          });
        } catch (error) {
          await this.#verifications.failed(name, reasonOf(error));
          throw error;
        }
      });
    }

    @SubjectHandler(operatorSubject(service, getVerification), getVerification.input)
    async verification(@Payload() input: ByName): Promise<BusReply> {
      const listed = await this.#find(input);
      if (!listed) return notFoundReply();
      return jsonReply(await this.#verifications.read(listed.name, listed.status === 'verifying'));
    }

    /**
     * Answers when the work has begun; whoever asked follows it with `list-projections`. Rejects when it came to nothing
     * before.
     */
    async #start(
      input: ByName,
      work: (projection: Projection, onStarted: () => void) => Promise<Rebuilt | Verified | Busy>,
    ): Promise<BusReply> {
      const wanted = projections.find(({ name }) => name === input.projection);
      if (!wanted) return notFoundReply();
      const { name } = wanted;
      const begun = Promise.withResolvers<boolean>();
      work(wanted, () => begun.resolve(true))
        .then(({ kind }) => begun.resolve(kind !== 'busy'))
        .catch((error: unknown) => {
          this.#logger.error({ err: error, projection: name }, 'work on a projection failed');
          begun.reject(error);
        });
      if (await begun.promise) return jsonReply({ started: true });
      return rejectedReply(reject('contended', { message: `${name} is being rebuilt or verified already.` }));
    }

    async #find({ projection }: ByName): Promise<ListedProjection | undefined> {
      return (await listProjections(this.#pool, projections)).find(({ name }) => name === projection);
    }
  }
  return ProjectionsController;
}
