import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { defineEntity, MikroORM, p, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import {
  Body,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpException,
  Inject,
  Injectable,
  Module,
  Post,
  Query,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createFolder, listFolders } from '@parley/contracts';
import { directSchema } from './schema.ts';

/** The peer people really ship: NestJS on Fastify with MikroORM, a guard, an entity manager per request. */
const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    tokenSha256: p.text().primary().name('token_sha256'),
    accountId: p.integer().name('account_id'),
    expiresAt: p.datetime().nullable().name('expires_at'),
  },
});

const Folder = defineEntity({
  name: 'Folder',
  tableName: 'folders',
  properties: {
    id: p.integer().primary().autoincrement(),
    accountId: p.integer().name('account_id'),
    name: p.text(),
    color: p.text().nullable(),
    assistantsCount: p.integer().default(0).name('assistants_count'),
  },
});

const orm = await MikroORM.init({
  entities: [ApiKey, Folder],
  clientUrl: process.env.DATABASE_URL ?? '',
  pool: { max: 16 },
});
await orm.em.getConnection().execute(directSchema);

interface AuthenticatedRequest {
  headers: { authorization?: string };
  accountId?: number;
}

@Injectable()
class KeyGuard implements CanActivate {
  constructor(@Inject(MikroORM) private readonly database: MikroORM) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const token = request.headers.authorization?.slice(7) ?? '';
    const key = await this.database.em.fork().findOne(ApiKey, {
      tokenSha256: createHash('sha256').update(token).digest('hex'),
      $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }],
    });
    if (!key) throw new UnauthorizedException();
    request.accountId = key.accountId;
    return true;
  }
}

const AccountId = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().accountId,
);

@Controller('api/user')
@UseGuards(KeyGuard)
class FolderController {
  constructor(@Inject(MikroORM) private readonly database: MikroORM) {}

  @Post('folder')
  async create(@AccountId() accountId: number, @Body() body: unknown) {
    const input = createFolder.body.safeParse(body);
    if (!input.success) throw new HttpException({ message: 'The given data was invalid.' }, 422);
    const em = this.database.em.fork();
    const folder = em.create(Folder, { accountId, name: input.data.name, color: input.data.color ?? null });
    try {
      await em.persist(folder).flush();
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      const errors = { name: ['The name has already been taken.'] };
      throw new HttpException({ message: 'The given data was invalid.', errors }, 422);
    }
    const { id, name, color, assistantsCount } = folder;
    return {
      message: 'Folder created successfully',
      data: { id, name, color, assistants_count: assistantsCount },
    };
  }

  @Get('folders')
  async list(@AccountId() accountId: number, @Query() query: unknown) {
    const { page, per_page } = listFolders.query.parse(query);
    const [rows, total] = await this.database.em
      .fork()
      .findAndCount(
        Folder,
        { accountId },
        { orderBy: { id: 'desc' }, limit: per_page, offset: (page - 1) * per_page },
      );
    const data = rows.map(({ id, name, color, assistantsCount }) => ({
      id,
      name,
      color,
      assistants_count: assistantsCount,
    }));
    return { data, current_page: page, per_page, total };
  }
}

@Module({ controllers: [FolderController], providers: [KeyGuard, { provide: MikroORM, useValue: orm }] })
class PeerModule {}

const app = await NestFactory.create<NestFastifyApplication>(PeerModule, new FastifyAdapter(), {
  logger: false,
});
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.send?.({ type: 'ready' });
process.once('disconnect', () => process.exit(0));
