import type { DynamoDBClientLike } from '../../lib/store/dynamodb/index.js';

/** One request as it reached the client. */
export interface SeenRequest {
  /** The command's class, without `Command`: `PutItem`. */
  readonly name: string;
  // The inputs of all commands; each spec knows which one it looks at.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly input: any;
  readonly abortSignal: AbortSignal | undefined;
}

/** Answers a request: an output, or whatever the client is to do wrong. */
export type Answer = (request: SeenRequest, forward: () => Promise<unknown>) => unknown;

/**
 * A client that keeps what it is asked and answers as the spec says, in order; afterwards it asks
 * the client behind it, or answers with empty outputs.
 */
export class RecordingClient implements DynamoDBClientLike {
  readonly seen: SeenRequest[] = [];
  readonly #behind: DynamoDBClientLike | undefined;
  readonly #answers: Answer[] = [];

  constructor(behind?: DynamoDBClientLike) {
    this.#behind = behind;
  }

  /** Puts answers before the next requests. */
  next(...answers: readonly Answer[]): this {
    this.#answers.push(...answers);
    return this;
  }

  /** The names of the requests so far. */
  get names(): string[] {
    return this.seen.map((request) => request.name);
  }

  /** The latest request. */
  get last(): SeenRequest {
    const request = this.seen.at(-1);
    if (request === undefined) throw new Error('No request reached the client');
    return request;
  }

  /** Not async: an answer may throw synchronously or return no promise, as a bad client does. */
  send(command: { constructor: { name: string }; input: unknown }, options?: unknown) {
    const { abortSignal } = (options ?? {}) as { abortSignal?: AbortSignal };
    const name = command.constructor.name.replace(/Command$/, '');
    const request: SeenRequest = { name, input: command.input, abortSignal };
    this.seen.push(request);
    const forward = async (): Promise<unknown> =>
      this.#behind === undefined ? { $metadata: {} } : this.#behind.send(command, options);
    const answer = this.#answers.shift();
    return (answer === undefined ? forward() : answer(request, forward)) as Promise<unknown>;
  }
}

/** An output. */
export function output(members: object = {}): Answer {
  return () => Promise.resolve({ $metadata: { attempts: 1 }, ...members });
}

/** A rejection with an error as the SDK makes them. */
export function sdkError(name: string, details: object = {}): Answer {
  return () => Promise.reject(makeSdkError(name, details));
}

export function makeSdkError(name: string, details: object = {}): Error {
  return Object.assign(new Error(`${name} from DynamoDB`), {
    name,
    $fault: 'client',
    $metadata: { httpStatusCode: 400, attempts: 1 },
    ...details,
  });
}

/** A write that its condition refused, with or without the item that stood in the way. */
export function refused(item?: object, attempts = 1): Answer {
  return sdkError('ConditionalCheckFailedException', {
    $metadata: { httpStatusCode: 400, attempts },
    ...(item === undefined ? {} : { Item: item }),
  });
}
