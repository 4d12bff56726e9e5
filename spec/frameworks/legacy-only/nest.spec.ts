import {
  Body,
  Catch,
  Controller,
  ForbiddenException,
  Get,
  Header,
  Headers,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Logger,
  Module,
  Param,
  ParseIntPipe,
  Post,
  SetMetadata,
  UseGuards,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { HttpAdapterHost, NestFactory, Reflector } from '@nestjs/core';
import { expect } from 'chai';
import type { AddressInfo } from 'node:net';
import { problemResponse, type ProblemResponse } from '../../../lib/events/index.js';
import {
  Idempotent,
  idempotencyIdOf,
  MemoryStore,
  type IdempotencyStore,
} from '../../../lib/index.js';
import { deferred, type Deferred } from '../../support/deferred.js';

/*
 * A NestJS application as people write them, listening on the loopback interface. Nest needs legacy
 * decorators and `emitDecoratorMetadata`.
 */

const STORE = Symbol('store');

/** Of `fetch`'s response; Nest's types bring in parts of the browser's, which hide it. */
interface Reply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
  text(): Promise<string>;
}

interface Payment {
  readonly orderId: string;
  readonly amount: number;
}

/** What took effect, and what holds payments up. */
class Ledger {
  readonly entries: string[] = [];
  gate: Deferred<void> | undefined;
  fail: Error | undefined;

  async enter(entry: string): Promise<number> {
    await this.gate?.promise;
    if (this.fail !== undefined) throw this.fail;
    return this.entries.push(entry);
  }
}

@Injectable()
class PaymentService {
  constructor(
    private readonly ledger: Ledger,
    @Inject(STORE) readonly idempotencyStore: IdempotencyStore,
  ) {}

  @Idempotent({
    key: (payment) => payment.orderId,
    store: (self: PaymentService) => self.idempotencyStore,
  })
  async pay(payment: Payment): Promise<{ receipt: string }> {
    return { receipt: `receipt-${String(await this.ledger.enter(`pay ${payment.orderId}`))}` };
  }
}

@Injectable()
class TenantGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const tenants = this.reflector.get<readonly string[] | undefined>(
      'tenants',
      context.getHandler(),
    );
    const request = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined> }>();
    if (tenants?.includes(request.headers['x-tenant'] ?? '') === false) {
      throw new ForbiddenException();
    }
    return true;
  }
}

@Controller('payments')
class PaymentController {
  constructor(
    private readonly service: PaymentService,
    private readonly ledger: Ledger,
    @Inject(STORE) private readonly idempotencyStore: IdempotencyStore,
  ) {}

  /** The store of this instance, for options that are written before any instance exists. */
  static storeOf(self: PaymentController): IdempotencyStore {
    return self.idempotencyStore;
  }

  @Post()
  async pay(@Body() payment: Payment): Promise<{ receipt: string }> {
    return this.service.pay(payment);
  }

  @Idempotent({
    key: (tenant, key) => [tenant, key],
    fingerprint: (_tenant, _key, account, body) => [account, body.amount],
    store: PaymentController.storeOf,
  })
  @Post('above/:account')
  @HttpCode(202)
  @Header('X-Kind', 'transfer')
  @UseGuards(TenantGuard)
  @SetMetadata('tenants', ['acme', 'other'])
  async above(
    @Headers('x-tenant') tenant: string,
    @Headers('idempotency-key') _key: string,
    @Param('account', ParseIntPipe) account: number,
    @Body() body: Payment,
  ): Promise<object> {
    const entry = await this.ledger.enter(`above ${tenant} ${String(account + 1)}`);
    return { entry, account, amount: body.amount };
  }

  @Post('below/:account')
  @HttpCode(202)
  @Header('X-Kind', 'transfer')
  @UseGuards(TenantGuard)
  @SetMetadata('tenants', ['acme', 'other'])
  @Idempotent({
    key: (tenant, key) => [tenant, key],
    fingerprint: (_tenant, _key, account, body) => [account, body.amount],
    store: PaymentController.storeOf,
  })
  async below(
    @Headers('x-tenant') tenant: string,
    @Headers('idempotency-key') _key: string,
    @Param('account', ParseIntPipe) account: number,
    @Body() body: Payment,
  ): Promise<object> {
    const entry = await this.ledger.enter(`below ${tenant} ${String(account + 1)}`);
    return { entry, account, amount: body.amount };
  }

  @Get('entries')
  async entries(): Promise<readonly string[]> {
    return Promise.resolve(this.ledger.entries);
  }
}

/** Replies with problem details, as an application with clients that retry would. */
@Catch()
class IdempotencyFilter implements ExceptionFilter {
  constructor(private readonly adapters: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response: unknown = host.switchToHttp().getResponse();
    const { statusCode, headers, body } = problemResponse(error) ?? other(error);
    const { httpAdapter } = this.adapters;
    for (const [name, value] of Object.entries(headers)) {
      httpAdapter.setHeader(response, name, value);
    }
    httpAdapter.reply(response, body, statusCode);
  }
}

function other(error: unknown): ProblemResponse {
  const statusCode = error instanceof HttpException ? error.getStatus() : 500;
  return { statusCode, headers: {}, body: '' };
}

@Module({
  controllers: [PaymentController],
  providers: [
    PaymentService,
    TenantGuard,
    Ledger,
    { provide: STORE, useFactory: () => new MemoryStore() },
  ],
})
class PaymentModule {}

describe('a NestJS application', () => {
  let app: INestApplication;
  let url: string;
  let ledger: Ledger;

  async function boot(filtered: boolean): Promise<void> {
    app = await NestFactory.create(PaymentModule);
    if (filtered) app.useGlobalFilters(new IdempotencyFilter(app.get(HttpAdapterHost)));
    await app.listen(0, '127.0.0.1');
    const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
    url = `http://127.0.0.1:${String(port)}/payments`;
    ledger = app.get(Ledger);
  }

  before(() => {
    Logger.overrideLogger(false);
  });

  afterEach(async () => {
    await app.close();
  });

  async function post(
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    return fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }) as Promise<unknown> as Promise<Reply>;
  }

  describe('with an idempotent service method', () => {
    beforeEach(() => boot(true));

    // F86
    it('runs it once per key on the store that the container injects', async () => {
      const payment = { orderId: 'o1', amount: 5 };

      const replies = [await post('', payment), await post('', payment)];
      await post('', { ...payment, orderId: 'o2' });

      expect(await Promise.all(replies.map((reply) => reply.json()))).to.deep.equal([
        { receipt: 'receipt-1' },
        { receipt: 'receipt-1' },
      ]);
      expect(ledger.entries).to.deep.equal(['pay o1', 'pay o2']);
      const store = app.get<MemoryStore>(STORE);
      const id = idempotencyIdOf(PaymentService.prototype.pay, [payment], app.get(PaymentService));
      expect(id).to.equal('PaymentService.pay#o1');
      expect(await store.get(id)).to.include({ status: 'COMPLETED' });
    });

    it('replies with problem details while it runs, and when it has no key', async () => {
      ledger.gate = deferred();
      const running = post('', { orderId: 'o1', amount: 5 });
      await until(() => app.get<MemoryStore>(STORE).get('PaymentService.pay#o1'));

      const second = await post('', { orderId: 'o1', amount: 5 });
      ledger.gate.resolve();

      expect(second.status).to.equal(409);
      expect(second.headers.get('content-type')).to.match(/^application\/problem\+json/u);
      expect(Number(second.headers.get('retry-after'))).to.be.within(1, 61);
      expect((await running).status).to.equal(201);
      expect((await post('', { amount: 5 })).status).to.equal(400);
    });

    it('runs it again after its own error, which is mapped as ever', async () => {
      ledger.fail = new ForbiddenException();
      expect((await post('', { orderId: 'o1', amount: 5 })).status).to.equal(403);
      ledger.fail = undefined;
      expect((await post('', { orderId: 'o1', amount: 5 })).status).to.equal(201);
      expect(ledger.entries).to.deep.equal(['pay o1']);
    });
  });

  for (const place of ['above', 'below']) {
    describe(`with @Idempotent ${place} @Post`, () => {
      const headers = { 'x-tenant': 'acme', 'idempotency-key': 'k1' };
      beforeEach(() => boot(true));

      // F72
      it('keeps the route, its parameters and pipes, status, headers and guards', async () => {
        const reply = await post(`/${place}/41`, { orderId: 'o1', amount: 5 }, headers);

        expect(reply.status).to.equal(202);
        expect(reply.headers.get('x-kind')).to.equal('transfer');
        expect(await reply.json()).to.deep.equal({ entry: 1, account: 41, amount: 5 });
        expect(ledger.entries).to.deep.equal([`${place} acme 42`]);
        expect((await post(`/${place}/x`, { amount: 5 }, headers)).status).to.equal(400);
        expect((await post(`/${place}/1`, {}, { 'x-tenant': 'stranger' })).status).to.equal(403);
      });

      it('runs it once per tenant and key, and replies the same', async () => {
        const body = { orderId: 'o1', amount: 5 };
        const first = await post(`/${place}/41`, body, headers);
        const second = await post(`/${place}/41`, body, headers);
        const others = await post(`/${place}/41`, body, { ...headers, 'x-tenant': 'other' });

        expect([second.status, second.headers.get('x-kind')]).to.deep.equal([202, 'transfer']);
        expect(await second.json()).to.deep.equal(await first.json());
        expect(await others.json()).to.include({ entry: 2 });
        expect(ledger.entries).to.have.length(2);
      });

      it('refuses the key with another request, and a request without a key', async () => {
        await post(`/${place}/41`, { amount: 5 }, headers);

        const other = await post(`/${place}/41`, { amount: 6 }, headers);
        const keyless = await post(`/${place}/41`, { amount: 5 }, { 'x-tenant': 'acme' });

        expect([other.status, keyless.status]).to.deep.equal([422, 400]);
        expect(ledger.entries).to.have.length(1);
      });
    });
  }

  describe('without a filter of its own', () => {
    beforeEach(() => boot(false));

    // Nest itself maps its own exceptions and those of http-errors; all others are a plain 500.
    it('replies 500 to what a filter would map, and tells nothing', async () => {
      const reply = await post('/below/41', { amount: 5 }, { 'x-tenant': 'acme' });

      expect(reply.status).to.equal(500);
      expect(await reply.json()).to.deep.equal({
        statusCode: 500,
        message: 'Internal server error',
      });
      expect(ledger.entries).to.deep.equal([]);
    });
  });
});

/** Asks again, turn by turn of the event loop, until there is something. */
async function until(look: () => Promise<unknown>): Promise<void> {
  while ((await look()) === undefined) await new Promise(setImmediate);
}
