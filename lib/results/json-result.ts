import type { ResultCodec } from './result-codec.js';

/*
 * What the compiler says of a result that JSON cannot carry. Two passes, since most results are fine:
 * the first only says whether there is anything, by one assignability check, which the compiler does
 * once per type and which ends on recursive ones; the second looks for the place, near ones first.
 */

/** The codec an option names; `undefined` where it names none. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a codec of any result
export type AnyCodec = ResultCodec<any>;

/**
 * The part of the options that tells the compiler whether a codec is named: `C` is taken from it.
 * `object` lets those through who write the other type arguments out.
 */
export interface NamedCodec<C extends AnyCodec | undefined> {
  readonly codec?: C | object;
}

/**
 * What a compile error shows for a result that comes back changed from JSON:
 * `NeedsCodec<"result.list[].when is a Date">`.
 */
export interface NeedsCodec<Why extends string> {
  readonly 'name a codec in the options': Why;
}

/**
 * `Fine`, or {@link NeedsCodec} where no codec is named (`C` is undefined) and JSON cannot carry `R`.
 *
 * In generic code, where `R` holds a type parameter, nothing is known of it and the answer is `Fine`.
 * That is what the detour over a member is for: a condition on `R` itself would stay open, and nothing
 * is assignable to an open one. `C` is in it so that it stays open until a call is looked at.
 */
export type IfJson<R, C, Fine = unknown> = [C, { fault: string }] extends [
  undefined,
  { fault: [JsonFault<R>] extends [never] ? 0 : string },
]
  ? NeedsCodec<JsonFault<R>>
  : Fine;

/** Where and why JSON cannot carry `R`; `never` where it can. */
export type JsonFault<R> = [R] extends [Json<R>] ? never : NearestFaults<R, []>;

// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- what a method without a result has
type Primitive = string | number | boolean | null | undefined | void;

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- classes as well as functions
type AnyFunction = Function;

/** `T` with `never` for what JSON cannot carry. `T` is assignable to it where there is nothing such. */
type Json<T> = unknown extends T
  ? unknown
  : T extends Primitive
    ? T
    : T extends bigint | symbol | AnyFunction
      ? never
      : T extends readonly unknown[]
        ? readonly Json<T[number]>[]
        : { [K in keyof T]: K extends symbol ? unknown : JsonMember<T[K]> };

/** A function that may as well be missing is no loss: the data is of the same type without it. */
type JsonMember<T, All = T> = T extends AnyFunction ? (undefined extends All ? T : never) : Json<T>;

/** What is wrong with a value itself, whatever it holds. */
type OwnFault<T> = unknown extends T
  ? never
  : T extends Primitive
    ? never
    : T extends bigint
      ? 'is a bigint'
      : T extends symbol
        ? 'is a symbol'
        : T extends AnyFunction
          ? 'is a function'
          : T extends Date
            ? 'is a Date'
            : T extends ReadonlyMap<unknown, unknown>
              ? 'is a Map'
              : T extends ReadonlySet<unknown>
                ? 'is a Set'
                : T extends PromiseLike<unknown>
                  ? 'is a promise'
                  : T extends ArrayBufferView
                    ? 'is a typed array'
                    : T extends { toJSON: AnyFunction }
                      ? 'has a toJSON method'
                      : never;

type MemberFault<T, All = T> = T extends AnyFunction
  ? undefined extends All
    ? never
    : 'is a function'
  : OwnFault<T>;

/** How deep the search for the place goes. */
type MaxDepth = 8;

type NearestFaults<R, Depth extends 0[]> = [Faults<R, 'result', Depth>] extends [never]
  ? Depth['length'] extends MaxDepth
    ? 'result holds, deep inside, what JSON cannot carry'
    : NearestFaults<R, [...Depth, 0]>
  : Faults<R, 'result', Depth>;

type Faults<T, Path extends string, Depth extends 0[]> = [OwnFault<T>] extends [never]
  ? FaultsInside<T, Path, Depth>
  : `${Path} ${OwnFault<T>}`;

/** Looks only into what has a fault somewhere. */
type FaultsInside<T, Path extends string, Depth extends 0[]> = T extends Primitive
  ? never
  : [T] extends [Json<T>]
    ? never
    : [NearFaults<T, Path, NamesOf<T>>] extends [never]
      ? Depth extends [0, ...infer Rest extends 0[]]
        ? FarFaults<T, Path, NamesOf<T>, Rest>
        : never
      : NearFaults<T, Path, NamesOf<T>>;

type NearFaults<T, Path extends string, Name> = Name extends keyof T & (string | number)
  ? [MemberFault<T[Name]>] extends [never]
    ? never
    : `${Place<T, Path, Name>} ${MemberFault<T[Name]>}`
  : never;

type FarFaults<T, Path extends string, Name, Depth extends 0[]> = Name extends keyof T &
  (string | number)
  ? FaultsInside<Exclude<T[Name], AnyFunction>, Place<T, Path, Name>, Depth>
  : never;

/** `number` stands for the elements of an array; a tuple's are told apart. */
type NamesOf<T> = T extends readonly unknown[]
  ? number extends T['length']
    ? number
    : Exclude<keyof T, keyof unknown[]>
  : keyof T;

type Place<T, Path extends string, Name extends string | number> = T extends readonly unknown[]
  ? number extends Name
    ? `${Path}[]`
    : `${Path}[${Name}]`
  : string extends Name
    ? `${Path}[string]`
    : number extends Name
      ? `${Path}[number]`
      : `${Path}.${Name}`;
