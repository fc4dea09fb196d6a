import { connect } from '@nats-io/transport-node';
import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  Scope,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload, RpcException } from '@nestjs/microservices';
import { eventually } from '@parley/testing';
import { map, of, throwError } from 'rxjs';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ok, queryOf, startClient, startService, uniqueService } from '../bus.fixture.ts';
import type { BusReply } from '../wire/message.ts';
import type { BusContext } from './bus-context.ts';
import { BusServer } from './server.ts';

class Overloaded extends Error {}

@Injectable()
class OnlyAccountSeven implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const { message } = execution.switchToRpc().getContext<BusContext>();
    if (message.accountId === 8) throw new RpcException({ code: 'not_found' });
    return message.accountId === 7;
  }
}

class RequireName implements PipeTransform {
  transform(value: { name?: string }, { type }: { type: string }) {
    if (type === 'body' && !value.name)
      throw new RpcException({ code: 'invalid', fields: { name: ['The name field is required.'] } });
    return value;
  }
}

@Injectable()
class MarkReplayed implements NestInterceptor<BusReply> {
  intercept(_execution: ExecutionContext, next: CallHandler<BusReply>) {
    return next
      .handle()
      .pipe(map((reply): BusReply => (reply.kind === 'ok' ? { ...reply, replayed: true } : reply)));
  }
}

@Catch(Overloaded)
class OverloadedFilter implements ExceptionFilter {
  catch(_error: Overloaded, host: ArgumentsHost) {
    const { subject } = host.switchToRpc().getContext<BusContext>();
    return subject.startsWith('cmd.')
      ? of({ kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 2 } })
      : throwError(() => ({ code: 'unavailable' }));
  }
}

function featureController(service: string, events: unknown[]) {
  @Controller({ scope: Scope.REQUEST })
  class PerRequest {
    readonly created = events.push('created');
    @MessagePattern(`qry.${service}.scoped`)
    scoped(@Ctx() { subject }: BusContext): BusReply {
      return ok({ subject });
    }
  }

  @Controller()
  class Features {
    @UseGuards(OnlyAccountSeven)
    @MessagePattern(`qry.${service}.guarded`)
    guarded(): BusReply {
      return ok('in');
    }

    @UsePipes(RequireName)
    @MessagePattern(`qry.${service}.piped`)
    piped(@Payload() payload: { name: string }): BusReply {
      return ok(payload.name);
    }

    @UseInterceptors(MarkReplayed)
    @MessagePattern(`qry.${service}.intercepted`)
    async intercepted(): Promise<BusReply> {
      return ok('in');
    }

    @MessagePattern(`qry.${service}.stream`)
    stream() {
      return of(ok(1), ok(2));
    }

    @MessagePattern(`qry.${service}.overloaded`)
    overloaded(): BusReply {
      throw new Overloaded();
    }

    @MessagePattern(`cmd.${service}.overloaded`)
    overloadedCommand(): BusReply {
      throw new Overloaded();
    }

    @EventPattern(`evt.${service}.happened`)
    happened(@Payload() payload: unknown): void {
      events.push(payload);
    }

    @EventPattern(`cmd.${service}.noted`)
    noted(@Payload() payload: unknown): void {
      events.push(payload);
    }
  }
  return [Features, PerRequest];
}

async function start(events: unknown[] = []) {
  const service = uniqueService();
  await startService(service, featureController(service, events), {}, (app) =>
    app.useGlobalFilters(new OverloadedFilter()),
  );
  const client = await startClient();
  const ask = (name: string, payload: unknown = {}, accountId = 7) =>
    client.request(queryOf(service, name, payload, { accountId }));
  return { service, client, ask };
}

test('guards decide, and what they refuse never reaches the handler', async () => {
  const { ask } = await start();
  expect(await ask('guarded')).toEqual(ok('in'));
  expect(await ask('guarded', {}, 8)).toEqual({ kind: 'rejected', rejection: { code: 'not_found' } });
  expect(await ask('guarded', {}, 9)).toEqual({ kind: 'rejected', rejection: { code: 'internal' } });
});

test('pipes validate the payload and reject with field errors', async () => {
  const { ask } = await start();
  expect(await ask('piped', { name: 'a' })).toEqual(ok('a'));
  expect(await ask('piped', {})).toEqual({
    kind: 'rejected',
    rejection: { code: 'invalid', fields: { name: ['The name field is required.'] } },
  });
});

test('interceptors see and change the reply', async () => {
  const { ask } = await start();
  expect(await ask('intercepted')).toEqual({ ...ok('in'), replayed: true });
});

test('the last value of an Observable is the reply', async () => {
  const { ask } = await start();
  expect(await ask('stream')).toEqual(ok(2));
});

test('exception filters turn exceptions into rejections', async () => {
  const { service, client, ask } = await start();
  expect(await ask('overloaded')).toEqual({ kind: 'rejected', rejection: { code: 'unavailable' } });
  const command = { ...queryOf(service, 'overloaded'), subject: `cmd.${service}.overloaded` };
  expect(await client.request(command)).toEqual({
    kind: 'rejected',
    rejection: { code: 'unavailable', retryAfterSeconds: 2 },
  });
});

test('request-scoped controllers are made for each request', async () => {
  const events: unknown[] = [];
  const { ask, service } = await start(events);
  await Promise.all([ask('scoped'), ask('scoped')]);
  expect(await ask('scoped')).toEqual(ok({ subject: `qry.${service}.scoped` }));
  expect(events).toEqual(['created', 'created', 'created']);
});

test('event handlers get events, and asked directly they only acknowledge', async () => {
  const events: unknown[] = [];
  const { service, client } = await start(events);
  const nats = await connect({ servers: inject('natsUrl') });
  onTestFinished(() => nats.close());
  nats.publish(`evt.${service}.happened`, '{"n":1}');
  await eventually(() => expect(events).toEqual([{ n: 1 }]));
  const request = { ...queryOf(service, 'noted', { n: 2 }), subject: `cmd.${service}.noted` };
  expect(await client.request(request)).toEqual({ kind: 'ok', body: 'null' });
  expect(events).toEqual([{ n: 1 }, { n: 2 }]);
});

test('a handler that no request can reach is told at the start', async () => {
  const service = uniqueService();
  @Controller()
  class Elsewhere {
    @MessagePattern('qry.elsewhere.list')
    list(): void {}
  }
  await expect(startService(service, [Elsewhere])).rejects.toThrow('qry.elsewhere.list');
});

test("Nest's processing hooks run around each request", async () => {
  const service = uniqueService();
  const calls: string[] = [];
  const server = new BusServer({ servers: inject('natsUrl'), service });
  server.setOnProcessingStartHook((_id, _context, done) => {
    calls.push('start');
    void done();
  });
  server.setOnProcessingEndHook(() => calls.push('end'));
  server.addHandler(`qry.${service}.a`, async () => ok(calls.push('handler')));
  await new Promise((resolve) => server.listen(resolve));
  onTestFinished(() => server.close());
  const client = await startClient();
  expect(await client.request(queryOf(service, 'a'))).toEqual(ok(2));
  expect(calls).toEqual(['start', 'handler', 'end']);
});
