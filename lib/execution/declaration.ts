import type { DefaultOptions, MethodOptions } from '../configuration/options.js';

/** Options of any method: here their types have done their work. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the doors know the types, the engine does not
export type AnyMethodOptions = MethodOptions<any, any[], any>;

/** What is fixed when a method is declared; each door (decorator, wrapper, function) makes its own. */
export interface Declaration {
  /** For messages: `@Idempotent on OrderHandler.handle`, `makeIdempotent(charge)`. */
  readonly where: string;
  /** `OrderHandler.handle`, for errors and events. */
  readonly method: string;
  /** As the user gave them. */
  readonly options: AnyMethodOptions;
  /** The method's part of a namespace, encoded; what a default namespace is put before. */
  readonly methodPart: string;
  /**
   * The namespace from names alone: `OrderHandler.handle`. Asked once per class.
   * @throws TypeError where there is no name to derive it from.
   */
  deriveNamespace(self: unknown): string;
  /** The class defaults that apply to a call on `self`, the nearest class first. */
  classDefaults(self: unknown): readonly DefaultOptions[];
  /** The `namespace` that the declaring class itself (not an ancestor) has as its default. */
  classNamespace(self: unknown): string | undefined;
  /** The default key of a call, from its arguments before the Lambda context. */
  defaultKey(args: readonly unknown[]): string;
}
