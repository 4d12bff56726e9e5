import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { RuntimeApi, functionName, type Outcome, type ReportedError } from './runtime-api.js';
import { argumentsOf, type LambdaRuntime } from './runtimes.js';

export interface EnvironmentPlan {
  readonly runtime: LambdaRuntime;
  /** The folder with the bundle in it. */
  readonly taskRoot: string;
  /** `file.export`, as in the function's configuration. */
  readonly handler: string;
  /** The function's own variables. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The longest a spec lets an invocation take that it does not mean to see killed. */
const TIMEOUT_MS = 30_000;

/** One execution environment: a process with Lambda's client in it, and one invocation at a time. */
export class Environment {
  readonly #plan: EnvironmentPlan;
  readonly #api: RuntimeApi;
  #process: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  stdout = '';
  stderr = '';
  /** The deadline of the last invocation. */
  deadlineMs = 0;

  private constructor(plan: EnvironmentPlan, api: RuntimeApi) {
    this.#plan = plan;
    this.#api = api;
  }

  static async open(plan: EnvironmentPlan): Promise<Environment> {
    return new Environment(plan, await RuntimeApi.open());
  }

  /** All that the runtime's logs, callers and traces show of this environment. */
  get shown(): string {
    return this.stdout + this.stderr + this.#api.reported;
  }

  /** Starts the process if none is running; the error, where it cannot start. */
  async init(): Promise<ReportedError | undefined> {
    if (this.#process === undefined) this.#start();
    return Promise.race([
      this.#api.idle.then(() => undefined),
      this.#api.initError,
      this.#exited.then(() => exitError()),
    ]);
  }

  /** Invokes the handler; at the deadline the process is killed, as Lambda does. */
  async invoke(event: unknown, { timeoutMs = TIMEOUT_MS } = {}): Promise<Outcome> {
    const failed = await this.init();
    if (failed !== undefined) return { error: failed };
    const { requestId, deadlineMs, outcome } = await this.#api.begin(event, timeoutMs);
    this.deadlineMs = deadlineMs;
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      this.#process?.kill('SIGKILL');
    }, deadlineMs - Date.now());
    try {
      return await Promise.race([
        outcome,
        this.#exited.then(() => ({
          error: timedOut ? timeoutError(requestId, timeoutMs) : exitError(),
        })),
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#exited;
    await this.#api.close();
  }

  #start(): void {
    const { runtime, taskRoot, handler } = this.#plan;
    this.#api.reset();
    const child = spawn(runtime.node, argumentsOf(runtime, handler), {
      cwd: taskRoot,
      env: this.#variables(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#process = child;
    this.#exited = once(child, 'close').then(() => {
      this.#process = undefined;
    });
  }

  /** What Lambda sets, and nothing of this process. */
  #variables(): Record<string, string> {
    const { runtime, taskRoot, handler, variables } = this.#plan;
    return {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LANG: 'en_US.UTF-8',
      TZ: ':UTC',
      AWS_REGION: 'eu-central-1',
      AWS_DEFAULT_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SESSION_TOKEN: 'local',
      AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${String(runtime.nodeMajor)}.x`,
      AWS_LAMBDA_FUNCTION_NAME: functionName,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
      AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]0123456789abcdef',
      AWS_LAMBDA_RUNTIME_API: this.#api.address,
      LAMBDA_TASK_ROOT: taskRoot,
      _HANDLER: handler,
      ...variables,
    };
  }
}

function timeoutError(requestId: string, timeoutMs: number): ReportedError {
  const seconds = (timeoutMs / 1000).toFixed(2);
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
  };
}

function exitError(): ReportedError {
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: 'Runtime exited without providing a reason',
  };
}
