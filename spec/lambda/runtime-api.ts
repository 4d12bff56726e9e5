import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { deferred, type Deferred } from '../support/deferred.js';

/** An error as the client reports it to Lambda. */
export interface ReportedError {
  readonly errorType: string;
  readonly errorMessage: string;
}

/** What an invocation came to, as its caller sees it. */
export type Outcome = { readonly payload: unknown } | { readonly error: ReportedError };

/** One invocation under way. */
export interface Invocation {
  readonly requestId: string;
  readonly deadlineMs: number;
  readonly outcome: Promise<Outcome>;
}

const root = '/2018-06-01/runtime';
export const functionName = 'place-order';

/**
 * Lambda's Runtime API, for one environment.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export class RuntimeApi {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #idle = deferred<ServerResponse>();
  #initError = deferred<ReportedError>();
  #running: (Deferred<Outcome> & { requestId: string }) | undefined;
  /** All that was reported of errors, headers included: Lambda shows it to callers and in traces. */
  reported = '';

  static async open(): Promise<RuntimeApi> {
    const api = new RuntimeApi();
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  /** What AWS_LAMBDA_RUNTIME_API says. */
  get address(): string {
    return `127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** The client has asked for an invocation. */
  get idle(): Promise<unknown> {
    return this.#idle.promise;
  }

  /** The client has reported that it cannot start. */
  get initError(): Promise<ReportedError> {
    return this.#initError.promise;
  }

  /** Gives the client that asked an event to handle until `timeoutMs` from now. */
  async begin(event: unknown, timeoutMs: number): Promise<Invocation> {
    const response = await this.#idle.promise;
    this.#idle = deferred();
    const running = { ...deferred<Outcome>(), requestId: randomUUID() };
    this.#running = running;
    const deadlineMs = Date.now() + timeoutMs;
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': running.requestId,
      'Lambda-Runtime-Deadline-Ms': String(deadlineMs),
      'Lambda-Runtime-Invoked-Function-Arn': `arn:aws:lambda:eu-central-1:111122223333:function:${functionName}`,
      'Lambda-Runtime-Trace-Id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419',
    });
    response.end(JSON.stringify(event));
    return { requestId: running.requestId, deadlineMs, outcome: running.promise };
  }

  /** Forgets what a process that is gone had asked for. */
  reset(): void {
    this.#idle = deferred();
    this.#initError = deferred();
    this.#running = undefined;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = `${String(request.method)} ${String(request.url)}`;
    if (endpoint === `GET ${root}/invocation/next`) {
      this.#idle.resolve(response);
      return;
    }
    const body = await text(request);
    const invocation = `POST ${root}/invocation/${String(this.#running?.requestId)}`;
    if (endpoint === `${invocation}/response`) {
      this.#running?.resolve({ payload: JSON.parse(body) });
    } else if (endpoint === `${invocation}/error`) {
      this.#running?.resolve({ error: this.#errorIn(request, body) });
    } else if (endpoint === `POST ${root}/init/error`) {
      this.#initError.resolve(this.#errorIn(request, body));
    } else {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(202).end();
  }

  #errorIn(request: IncomingMessage, body: string): ReportedError {
    this.reported += `${request.rawHeaders.join('\n')}\n${body}\n`;
    const { errorType, errorMessage } = JSON.parse(body) as ReportedError;
    return { errorType, errorMessage };
  }
}
