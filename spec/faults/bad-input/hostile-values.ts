import fc from 'fast-check';

/** What hostile values throw. */
export class Sabotage extends Error {
  override name = 'Sabotage';
}

function sabotage(): never {
  throw new Sabotage('thrown by a hostile value');
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function nested(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

const everyTrap = { get: sabotage, has: sabotage, ownKeys: sabotage, getPrototypeOf: sabotage };

/** An error that throws once more when somebody looks at it. */
export class ThornyError extends Error {
  override get name(): string {
    return sabotage();
  }
}

/** By name, so that a counterexample can be printed: printing the value might throw. */
const makers = {
  'a proxy that throws': () => new Proxy({}, everyTrap),
  'a proxy of an array that throws': () => new Proxy(['x'], everyTrap),
  'a proxy of a function that throws': () => new Proxy(() => 'x', everyTrap),
  'a proxy that throws itself': () => {
    const proxy: object = new Proxy({}, { get: () => raise(proxy), ownKeys: () => raise(proxy) });
    return proxy;
  },
  'a proxy that throws a revoked one': () =>
    new Proxy({}, { get: () => raise(revoked({})), getPrototypeOf: () => raise(revoked({})) }),
  'a proxy that answers everything': () => new Proxy({}, { get: () => () => 'x' }),
  'a revoked proxy': () => revoked({}),
  'a revoked proxy of an array': () => revoked([]),
  'a revoked proxy of a function': () => revoked(() => 'x'),
  'a getter that throws': () => ({ a: 1, get b() { return sabotage(); } }), // prettier-ignore
  'a getter that throws undefined': () => ({ get b() { return raise(undefined); } }), // prettier-ignore
  'a getter that throws a thorny error': () => ({ get b() { return raise(new ThornyError()); } }), // prettier-ignore
  'a toJSON that throws': () => ({ toJSON: sabotage }),
  'a toJSON that throws a thorny error': () => ({ toJSON: () => raise(new ThornyError()) }),
  'a toJSON that throws an error with a symbol for a name': () => ({
    toJSON: () => raise(Object.assign(new Error(), { name: Symbol('name') })),
  }),
  'a toJSON that gives a Map': () => ({ toJSON: () => new Map([['a', 1]]) }),
  'a toJSON that gives itself': () => {
    const value = { toJSON: (): unknown => value };
    return value;
  },
  'a then that throws': () => ({ get then() { return sabotage(); } }), // prettier-ignore
  'a thenable': () => ({ then: () => undefined }),
  'a promise': () => Promise.resolve('x'),
  'a cycle': () => {
    const value: Record<string, unknown> = { a: 1 };
    value['self'] = [value];
    return value;
  },
  'too many levels': () => nested(20_000),
  'many levels': () => nested(400),
  'a lone surrogate': () => 'order-\ud800',
  'a lone surrogate for a name': () => ({ '\udc00': 1 }),
  'an own __proto__': () => JSON.parse('{"__proto__":{"polluted":true},"id":1}') as unknown,
  'an invalid Date': () => new Date(NaN),
  'a boxed string that throws': () => Object.assign(new String('x'), { toString: sabotage }),
  'a class without members': () => new (class Empty { #hidden = 1; get hidden() { return this.#hidden; } })(), // prettier-ignore
  'a WeakMap': () => new WeakMap(),
  'a RegExp': () => /x/,
  'an ArrayBuffer': () => new ArrayBuffer(8),
  'a symbol': () => Symbol('x'),
  'a generator': () => (function* () { yield 1; })(), // prettier-ignore
  'a thorny error': () => new ThornyError(),
  'a very long string': () => 'x'.repeat(1_000_000),
  'an integer beyond 2^53': () => 2 ** 60,
  globalThis: () => globalThis,
} satisfies Record<string, () => unknown>;

function raise(value: unknown): never {
  throw value;
}

type HostileName = keyof typeof makers;

const places = {
  itself: (value: unknown) => value,
  member: (value: unknown) => ({ orderId: 'o1', part: value }),
  element: (value: unknown) => ['o1', value],
} satisfies Record<string, (value: unknown) => unknown>;

/** A value for a spec, in a form that can be printed. */
export type AnyInput =
  | { readonly value: unknown }
  | { readonly hostile: HostileName; readonly place: keyof typeof places };

const namesOf = <T extends object>(table: T): (keyof T)[] => Object.keys(table) as (keyof T)[];

/** Whatever JavaScript has. */
export const anyInput: fc.Arbitrary<AnyInput> = fc.oneof(
  fc.record({
    value: fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    }),
  }),
  fc.record({
    hostile: fc.constantFrom(...namesOf(makers)),
    place: fc.constantFrom(...namesOf(places)),
  }),
);

/** Every hostile value in every place: few enough to try each. */
export const hostileInputs: readonly AnyInput[] = namesOf(makers).flatMap((hostile) =>
  namesOf(places).map((place) => ({ hostile, place })),
);

export function valueOf(input: AnyInput): unknown {
  return 'hostile' in input ? places[input.place](makers[input.hostile]()) : input.value;
}
