import { IdempotencyKeyError } from '../errors/index.js';
import type { HttpEvent } from './event-shapes.js';

/** Options of {@link header}. */
export interface HeaderOptions<E> {
  /**
   * Who is calling: a function of the event that returns what the authorizer says (a subject, an
   * account, an API key's id), or `'public'` where all callers share one set of keys. Clients choose
   * their keys themselves: without a scope, one client's key would get another one its result.
   */
  readonly scope: 'public' | ((event: E) => unknown);
}

/** What clients send for a key that they do not have: nothing, or the trace of it. */
const TRACES: ReadonlySet<string> = new Set(['', 'undefined', 'null', 'NaN']);

/**
 * Key that the client sends in a header, `Idempotency-Key` as a rule, together with who the client
 * is. For events of REST APIs, HTTP APIs, load balancers and function URLs; upper and lower case of
 * the name do not matter. The value is taken as it is: quoted and unquoted are two keys.
 *
 * A request without the header, or without anybody in its scope, has no key: an
 * `IdempotencyKeyError` (400 by {@link problemResponse}). So it is with a header that says
 * `undefined` or `null`. Two different keys in one request are a key error as well.
 *
 * With a scope the key is `[scope, value]`, with `'public'` the value alone.
 *
 * @param name the header's name
 * @throws TypeError for a name or a scope that is none.
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07 The key's
 * header field; its security considerations ask for a key composed with an attribute of the client.
 *
 * @example
 * ```ts
 * @Idempotent({
 *   key: header('Idempotency-Key', { scope: (e) => e.requestContext.authorizer.jwt.claims['sub'] }),
 * })
 * async handle(event: APIGatewayProxyEventV2WithJWTAuthorizer): Promise<Reply> { … }
 * ```
 */
export function header<E extends HttpEvent = HttpEvent>(
  name: string,
  options: HeaderOptions<E>,
): (event: E) => unknown {
  const wanted = checkedName(name);
  const scope = checkedScope(options);
  if (scope === 'public') return (event) => valueOf(event, wanted);
  return (event) => [scope(event), valueOf(event, wanted)];
}

function valueOf({ headers, multiValueHeaders }: HttpEvent, name: string): string | undefined {
  const values = valuesIn(headers, name);
  const allValues = valuesIn(multiValueHeaders, name);
  if (values.size > 1 || allValues.size > 1) {
    throw new IdempotencyKeyError(`The request has several headers ${name}`);
  }
  const [value] = values.size > 0 ? values : allValues;
  return value === undefined || TRACES.has(unquoted(value)) ? undefined : value;
}

/** By one small pattern at a time: the text is the client's, and may be made to be slow to match. */
function unquoted(value: string): string {
  return value.trim().replace(/^"/, '').replace(/"$/, '').trim();
}

function valuesIn(
  headers: Readonly<Record<string, string | readonly string[] | undefined>> | null | undefined,
  name: string,
): ReadonlySet<string> {
  const found = Object.entries(headers ?? {}).filter(([given]) => given.toLowerCase() === name);
  return new Set(found.flatMap(([, value]) => value ?? []));
}

function checkedName(name: unknown): string {
  if (typeof name !== 'string' || !/\S/.test(name)) {
    throw new TypeError("Expected the name to be a header's (header)");
  }
  return name.toLowerCase();
}

/** Users of JavaScript have no compiler to ask them. */
function checkedScope<E>(
  options: Partial<HeaderOptions<E>> | undefined,
): HeaderOptions<E>['scope'] {
  const scope = options?.scope;
  if (scope !== 'public' && typeof scope !== 'function') {
    throw new TypeError(
      "Expected `scope` to be a function that says who is calling, or 'public' (header)",
    );
  }
  return scope;
}
