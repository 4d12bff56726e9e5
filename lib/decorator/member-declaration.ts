import type { DefaultOptions } from '../configuration/options.js';
import type { AnyMethodOptions, Declaration } from '../execution/declaration.js';
import { keyOfArguments } from '../keys/default-key.js';
import { encodeNamePart } from '../keys/namespace.js';
import { classDefaultsAlong, ownClassDefaults } from './class-defaults.js';
import { prototypeOf, type AnyClass, type FindClass } from './declaring-class.js';
import {
  fileDerivedNamespace,
  memberLabel,
  nothingToDeriveFrom,
  warnIfMinified,
} from './derived-namespace.js';

/** A decorated member, in terms that both dialects can fill in. */
export interface Member {
  readonly name: string | symbol;
  readonly isStatic: boolean;
  readonly findClass: FindClass;
  /**
   * Where the class's own defaults are filed, known without an instance: the class or prototype
   * (legacy decorators), the metadata object (standard ones).
   */
  readonly home: object | undefined;
}

/** What `@Idempotent` fixes when a class is defined. */
export class MemberDeclaration implements Declaration {
  readonly options: AnyMethodOptions;
  readonly methodPart: string;
  readonly #member: Member;
  readonly #label: string;
  #class: AnyClass | undefined;
  #namespace: string | undefined;

  constructor(member: Member, options: AnyMethodOptions) {
    this.options = options;
    this.#member = member;
    this.#label = memberLabel(member.name, member.isStatic);
    this.methodPart = encodeNamePart(this.#label);
    // Legacy decorators know the class from the start.
    this.meet(undefined);
  }

  /** `OrderHandler.handle`; with standard decorators just `handle` until the class is known. */
  get method(): string {
    const className = this.#className();
    return className === '' ? this.#label : `${className}.${this.#label}`;
  }

  get where(): string {
    return `@Idempotent on ${this.method}`;
  }

  /** @throws TypeError for a symbol without description and `namespace`: any two would share one. */
  checkName(): void {
    const { name } = this.#member;
    if (typeof name !== 'symbol' || (name.description ?? '') !== '') return;
    if (this.options.namespace !== undefined) return;
    throw nothingToDeriveFrom('the symbol has no description', this.where);
  }

  /** Learns the class from what the member is called on. */
  meet(self: unknown): void {
    this.#class ??= this.#member.findClass(self);
  }

  deriveNamespace(self: unknown): string {
    this.#namespace ??= this.#namespaceFromNames(self);
    return this.#namespace;
  }

  classDefaults(self: unknown): readonly DefaultOptions[] {
    this.meet(self);
    const start = this.#chainStart(self);
    const holder = this.#holder();
    const isRelated =
      start !== undefined &&
      holder !== undefined &&
      (start === holder || Object.prototype.isPrototypeOf.call(holder, start));
    // A call without the instance, or on a stranger, still gets the defaults of the method's class.
    return classDefaultsAlong(isRelated ? start : (this.#member.home ?? holder));
  }

  classNamespace(self: unknown): string | undefined {
    this.meet(self);
    for (const place of [this.#member.home, this.#holder()]) {
      const namespace = place && ownClassDefaults(place)?.namespace;
      if (namespace !== undefined) return namespace;
    }
    return undefined;
  }

  defaultKey(args: readonly unknown[]): string {
    return keyOfArguments(args, this.method);
  }

  #namespaceFromNames(self: unknown): string {
    this.meet(self);
    const { where } = this;
    if (this.#class === undefined) {
      throw new TypeError(
        `Called without its instance, whose class the namespace derives from; bind it, as in \`handler.handle.bind(handler)\`, or set the option \`namespace\` (${where})`,
      );
    }
    const className = this.#className();
    if (className === '') throw nothingToDeriveFrom('the class has no name', where);
    warnIfMinified(className, 'class', where);
    // Minifiers leave the names of properties alone, but not those of private members.
    const { name } = this.#member;
    if (typeof name === 'string' && name.startsWith('#')) {
      warnIfMinified(name.slice(1), 'member', where);
    }
    const namespace = `${encodeNamePart(className)}.${this.methodPart}`;
    fileDerivedNamespace(namespace, this, where);
    return namespace;
  }

  #className(): string {
    // A static member called `name` hides the class's own.
    const name = this.#class?.name;
    return typeof name === 'string' ? name : '';
  }

  /** What the member is found on: the class for static members, else its prototype. */
  #holder(): object | undefined {
    return this.#member.isStatic ? this.#class : this.#class?.prototype;
  }

  #chainStart(self: unknown): object | undefined {
    if (typeof self === 'function') return this.#member.isStatic ? self : prototypeOf(self);
    return typeof self === 'object' && self !== null ? prototypeOf(self) : undefined;
  }
}
