import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { faultOf, type Extent, type Fault, type FaultDetails, type Step } from './faults.js';

type Handler = DynamoDBClient['config']['requestHandler'];

/** What is read of the SDK's requests. */
interface Request {
  readonly port?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Options {
  readonly abortSignal?: AbortSignal;
}

interface Reply {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

interface Affliction {
  readonly step: Step | 'all';
  readonly fault: Fault;
  readonly extent: Extent;
}

export interface NetworkOptions {
  /** Whether refused writes come back without the item that refused them, as from older engines. */
  readonly withholdsItems: boolean;
  /** The port of a way to the engine that cuts replies. */
  readonly cuttingPort: number;
}

/**
 * A request handler of the SDK that stands before its real one and does to each request what the
 * spec says. A real engine is behind it: a request that arrives is really applied.
 */
export class FaultyNetwork {
  /** The SDK takes an object with these for a handler. */
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #behind: Handler;
  readonly #options: NetworkOptions;
  #affliction: Affliction | undefined;
  #hits = 0;
  #late: Request[] = [];
  #unanswered = 0;
  #operations = 0;
  #watchers: (() => void)[] = [];

  constructor(behind: Handler, options: NetworkOptions) {
    this.#behind = behind;
    this.#options = options;
  }

  /** From now on the requests of a step, or of all steps together, meet the fault. */
  afflict(step: Step | 'all', fault: Fault, extent: Extent): void {
    this.#affliction = { step, fault, extent };
    this.#hits = 0;
  }

  /** No further request meets a fault. Late ones are still under way. */
  heal(): void {
    this.#affliction = undefined;
  }

  /** How many requests of the afflicted step there were. */
  get hits(): number {
    return this.#hits;
  }

  /** Requests that have not arrived yet. */
  get late(): number {
    return this.#late.length;
  }

  /** Lets the late requests arrive, in the order in which they were sent. Nobody hears the replies. */
  async letLateArrive(): Promise<void> {
    const late = this.#late;
    this.#late = [];
    for (const request of late) await this.#apply(request);
  }

  /** Resolves when every operation is over or waits for an answer that it will not get. */
  async idle(): Promise<void> {
    while (this.#operations > this.#unanswered) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Counts an operation of the client from its start to its end. */
  async during<T>(operation: Promise<T>): Promise<T> {
    this.#operations += 1;
    try {
      return await operation;
    } finally {
      this.#operations -= 1;
      this.#changed();
    }
  }

  async handle(request: Request, options: Options = {}): Promise<Reply> {
    const details = this.#faultOf(request);
    if (details === undefined) return this.#passed(request, options);
    const { arrives, answer } = details;
    if (answer === 'cut') return this.#cut(request, options);
    const reply = arrives === 'now' ? await this.#apply(request) : undefined;
    if (arrives === 'late') this.#late.push(request);
    switch (answer) {
      case 'reset':
        throw networkError('socket hang up', 'ECONNRESET');
      case 'timeout':
        throw networkError('No answer in time', 'ETIMEDOUT');
      case 'nothing':
        return this.#silence(options.abortSignal);
      case 'garbled':
        return halved(reply);
      case 'stalled':
        return this.#stalled(reply);
      default:
        return refusedBy(answer.status, answer.name);
    }
  }

  /** The SDK asks its handlers for these. */
  updateHttpClientConfig(): void {
    throw new Error('The faulty network has no configuration');
  }

  httpHandlerConfigs(): object {
    return {};
  }

  #faultOf(request: Request): FaultDetails | undefined {
    const affliction = this.#affliction;
    if (affliction === undefined) return undefined;
    const { step, fault, extent } = affliction;
    if (step !== 'all' && step !== stepOf(request)) return undefined;
    this.#hits += 1;
    return faultOf(fault, extent, this.#hits);
  }

  async #passed(request: Request, options: Options): Promise<Reply> {
    const reply = await this.#send(request, options);
    if (!this.#options.withholdsItems || reply.response.statusCode !== 400) return reply;
    const body = JSON.parse(await textOf(reply)) as { Item?: unknown };
    delete body.Item;
    return withBody(reply, JSON.stringify(body));
  }

  /** Sends a request whatever becomes of its caller, and takes the whole reply off the connection. */
  async #apply(request: Request): Promise<Reply> {
    const reply = await this.#send(request, {});
    return withBody(reply, await textOf(reply));
  }

  #cut(request: Request, options: Options): Promise<Reply> {
    const rerouted = Object.create(request, {
      port: { value: this.#options.cuttingPort, enumerable: true },
    }) as Request;
    return this.#send(rerouted, options);
  }

  #send(request: Request, options: Options): Promise<Reply> {
    return this.#behind.handle(request as never, options) as Promise<Reply>;
  }

  #silence(signal: AbortSignal | undefined): Promise<never> {
    this.#unanswered += 1;
    this.#changed();
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        this.#unanswered -= 1;
        reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
      });
    });
  }

  /** The head of a reply and a body that never comes: the SDK waits for that without a limit. */
  #stalled(reply: Reply | undefined): Reply {
    this.#unanswered += 1;
    this.#changed();
    return { response: Object.assign(arrived(reply).response, { body: new PassThrough() }) };
  }

  #changed(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const notify of watchers) notify();
  }
}

const steps: Readonly<Record<string, Step>> = {
  PutItem: 'claim',
  GetItem: 'read',
  DeleteItem: 'release',
};

function stepOf(request: Request): Step {
  const action = request.headers['x-amz-target']?.split('.')[1] ?? '';
  const step = steps[action];
  if (step !== undefined) return step;
  // Only a completion gives the record another status.
  return /"UpdateExpression":"[^"]*#status/.test(bodyOf(request)) ? 'complete' : 'renew';
}

/** Text or bytes, by the version of the SDK. */
function bodyOf({ body }: Request): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array);
}

/** As the SDK's own handler rejects. */
function networkError(message: string, code: string): Error {
  return Object.assign(new Error(message), { name: 'TimeoutError', code });
}

function refusedBy(statusCode: number, name: string): Reply {
  const body = JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${name}`,
    message: name,
  });
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  return { response: { statusCode, headers, body: Readable.from([Buffer.from(body)]) } };
}

async function halved(reply: Reply | undefined): Promise<Reply> {
  const text = await textOf(arrived(reply));
  return withBody(arrived(reply), text.slice(0, Math.ceil(text.length / 2)));
}

function arrived(reply: Reply | undefined): Reply {
  if (reply === undefined) throw new Error('Only a request that arrives has a reply');
  return reply;
}

async function textOf({ response }: Reply): Promise<string> {
  return (await buffer(response.body as Readable)).toString();
}

/** The SDK reads a reply as long as its stream is; nothing looks at the lengths in the headers. */
function withBody({ response }: Reply, text: string): Reply {
  return {
    response: Object.assign(response, { body: Readable.from([Buffer.from(text)]) }),
  };
}
