import type { APIGatewayProxyEvent, APIGatewayProxyResult, SQSBatchResponse } from 'aws-lambda';
import { expect } from 'chai';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { runIdempotent, type RunOptions } from '../../lib/execution/run-idempotent.js';
import { jsonCodec } from '../../lib/results/json-codec.js';
import type { IfJson, JsonFault, NeedsCodec } from '../../lib/results/json-result.js';
import type { ResultCodec } from '../../lib/results/result-codec.js';
import { structuredCodec } from '../../lib/results/structured-codec.js';

/*
 * The compiler is what runs these: ts-node checks this file in each dialect before mocha sees it, and
 * a `@ts-expect-error` that expects nothing is an error itself.
 */

type Equal<X, Y> =
  (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false;

/** Compiles only when all of them are `true`. */
function holds<_T extends readonly true[]>(): void {}

/** A result of any type, for calls that only the compiler makes. */
declare function give<R>(): Promise<R>;

interface OrderEvent {
  readonly orderId: string;
}
interface Shipment {
  readonly list: readonly { readonly when: Date }[];
}
interface Tree {
  readonly name: string;
  readonly children: Tree[];
  readonly parent?: Tree | null;
}
interface DatedTree {
  readonly children: DatedTree[];
  readonly left?: DatedTree;
  readonly info: { readonly when?: Date };
}
class Receipt {
  constructor(readonly total: number) {}
}
class Money {
  constructor(readonly amount: number) {}
  plus(other: Money): Money {
    return new Money(this.amount + other.amount);
  }
}
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Brand = string & { readonly __brand: unique symbol };
interface WithOptionalMethods {
  readonly id: string;
  toString?(): string;
  readonly onDone: (() => void) | undefined;
}
declare const tag: unique symbol;

describe('the types of results', () => {
  it('name the place of what JSON cannot carry', () => {
    holds<
      [
        Equal<JsonFault<Shipment>, 'result.list[].when is a Date'>,
        Equal<JsonFault<Date | undefined>, 'result is a Date'>,
        Equal<JsonFault<[string, { m: Map<string, 1> }]>, 'result[1].m is a Map'>,
        Equal<JsonFault<Record<string, Set<1>>>, 'result[string] is a Set'>,
        Equal<
          JsonFault<{ a: bigint; s?: symbol }>,
          'result.a is a bigint' | 'result.s is a symbol'
        >,
        Equal<JsonFault<{ cancel(): void }>, 'result.cancel is a function'>,
        Equal<JsonFault<{ at: string | Date }>, 'result.at is a Date'>,
        Equal<JsonFault<{ ok: true } | { ok: false; when: Date }>, 'result.when is a Date'>,
        Equal<JsonFault<{ total: Money }>, 'result.total.plus is a function'>,
        Equal<JsonFault<{ later: Promise<1> }>, 'result.later is a promise'>,
        Equal<JsonFault<{ bytes: Uint8Array }>, 'result.bytes is a typed array'>,
        Equal<JsonFault<{ url: { toJSON(): string } }>, 'result.url has a toJSON method'>,
        Equal<JsonFault<() => void>, 'result is a function'>,
        Equal<JsonFault<typeof Money>, 'result is a function'>,
        // The nearest place of a type that contains itself.
        Equal<JsonFault<DatedTree>, 'result.info.when is a Date'>,
        Equal<IfJson<Shipment, undefined>, NeedsCodec<'result.list[].when is a Date'>>,
        Equal<IfJson<Shipment, ResultCodec<Shipment>>, unknown>,
      ]
    >();

    expect(holds).to.be.a('function');
  });

  it('say nothing of what comes back from JSON as it was', () => {
    holds<
      [
        Equal<JsonFault<string | number | boolean | null | undefined>, never>,
        Equal<JsonFault<void>, never>,
        Equal<JsonFault<unknown>, never>,
        // eslint-disable-next-line @typescript-eslint/no-explicit-any
        Equal<JsonFault<any>, never>,
        Equal<JsonFault<never>, never>,
        Equal<JsonFault<{ a: unknown; b: unknown[] }>, never>,
        Equal<JsonFault<object>, never>,
        Equal<JsonFault<Receipt>, never>,
        Equal<JsonFault<Tree>, never>,
        Equal<JsonFault<Json>, never>,
        Equal<JsonFault<Brand | readonly Brand[]>, never>,
        Equal<JsonFault<{ [tag]: symbol; a: 1 }>, never>,
        Equal<JsonFault<WithOptionalMethods>, never>,
        Equal<JsonFault<APIGatewayProxyResult | SQSBatchResponse>, never>,
        Equal<JsonFault<APIGatewayProxyEvent>, never>,
      ]
    >();

    expect(holds).to.be.a('function');
  });

  // F48
  it('of a decorated method are refused without a codec', () => {
    class Wrong {
      // @ts-expect-error result.list[].when is a Date
      @Idempotent({ key: (e) => e.orderId })
      async shipment(_event: OrderEvent): Promise<Shipment> {
        return give();
      }
      // @ts-expect-error result is a Date
      @Idempotent()
      static async date(): Promise<Date> {
        return give();
      }
      // @ts-expect-error result is a bigint
      @Idempotent({ ttl: 60 })
      async perhaps(_event: OrderEvent): Promise<bigint | undefined> {
        return give();
      }
    }
    class Right {
      @Idempotent({ key: (e) => e.orderId, codec: structuredCodec })
      async shipment(_event: OrderEvent): Promise<Shipment> {
        return give();
      }
      @Idempotent({ codec: jsonCodec, key: (e) => e.orderId })
      static async date(_event: OrderEvent): Promise<Date> {
        return give();
      }
      @Idempotent({ key: (e) => e.orderId, ttl: 60 })
      async tree(_event: OrderEvent): Promise<Tree | APIGatewayProxyResult> {
        return give();
      }
    }

    expect([Wrong, Right]).to.have.length(2);
  });

  it('of generic code are not judged', () => {
    class Repository<T extends object, K extends keyof T & string> {
      @Idempotent({ key: (item) => item })
      async save(item: T): Promise<T> {
        return Promise.resolve(item);
      }
      @Idempotent({ key: (item) => item })
      async wrapped(_item: T): Promise<{ item: T; all: { list: T[] }; part: Pick<T, K> }> {
        return give();
      }
      @Idempotent({ key: (item) => item })
      async member(_item: T): Promise<T[K] | Partial<T>> {
        return give();
      }
      @Idempotent()
      async own<X>(item: X): Promise<X> {
        return Promise.resolve(item);
      }
    }
    function wrap<T>(fn: (input: T) => Promise<T>): (input: T) => Promise<T> {
      return makeIdempotent(fn, { key: (input) => input });
    }
    async function run<T>(input: T, fn: (input: T) => Promise<T>): Promise<T | undefined> {
      const outcome = await runIdempotent(input, fn, { key: (payload) => payload });
      return outcome.status === 'executed' ? outcome.result : undefined;
    }

    expect([Repository, wrap, run]).to.have.length(3);
  });

  it('of functions are refused likewise', () => {
    const dated = async (event: OrderEvent): Promise<{ when: Date }> =>
      Promise.resolve({ when: new Date(event.orderId) });
    const options: RunOptions<OrderEvent, { when: Date }> = { codec: structuredCodec };
    const order: OrderEvent = { orderId: 'o1' };
    const calls = (): unknown[] => [
      // @ts-expect-error result.when is a Date
      makeIdempotent(dated, { key: (e) => e.orderId }),
      makeIdempotent(dated, { key: (e) => e.orderId, codec: structuredCodec }),
      // @ts-expect-error result.when is a Date
      runIdempotent(order, dated),
      // @ts-expect-error result.when is a Date
      runIdempotent(order, (o) => ({ when: new Date(o.orderId) }), { key: (o) => o.orderId }),
      runIdempotent(order, (o) => ({ when: new Date(o.orderId) }), {
        key: (o) => o.orderId,
        codec: jsonCodec,
      }),
      runIdempotent(order, dated, options),
      runIdempotent<OrderEvent, string>(order, (o) => o.orderId, { codec: structuredCodec }),
    ];

    expect(calls).to.be.a('function');
  });
});
