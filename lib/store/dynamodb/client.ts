import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * What this package needs of a client: `DynamoDBClient`, `DynamoDBDocumentClient`, a traced or a
 * fake one, of any version 3 of the SDK. It is given commands of `@aws-sdk/client-dynamodb` with
 * attribute values, and never changed. Clients with a request handler for Node.js get as
 * `abortSignal` a plain object with listeners: nothing for `AbortSignal.any`.
 */
export interface DynamoDBClientLike {
  // The commands and options of one SDK version do not fit the client types of another.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  send(command: any, options?: any): Promise<unknown>;
}

/** Either a client or the configuration of one; neither is the shared client. */
export type ClientOptions =
  | {
      /** Your own client. Its timeouts and attempts are its own; `timeout` bounds them all. */
      readonly client?: DynamoDBClientLike;
      readonly clientConfig?: never;
    }
  | {
      readonly client?: never;
      /** Configuration of a client that this store makes for itself, at its first use. */
      readonly clientConfig?: DynamoDBClientConfig;
    };

/*
 * The SDK waits without limit by default, and Lambda freezes connections between invocations: the
 * first request after a thaw may go into a dead socket. Three attempts of these bounds fit into the
 * store's default timeout of 5 s. Connections are kept alive, as is the SDK's default.
 */
const defaults = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 1500, throwOnRequestTimeout: true },
} satisfies DynamoDBClientConfig;

let sharedClient: DynamoDBClient | undefined;

/**
 * Returns a function that gives the client, and makes it at the first call: constructing one reads
 * the AWS configuration, which a module's load is too early for.
 *
 * The shared client is kept by this module, so a process has one per copy of this package. Nobody
 * closes it; its idle connections let the process exit.
 *
 * @throws TypeError when both are given, or `client` has no `send`.
 */
export function clientOpener(
  { client, clientConfig }: { readonly client?: unknown; readonly clientConfig?: unknown },
  where: string,
): () => DynamoDBClientLike {
  if (client !== undefined && clientConfig !== undefined) {
    throw new TypeError(`Expected either \`client\` or \`clientConfig\`, got both (${where})`);
  }
  if (client !== undefined) {
    if (!isClient(client)) {
      throw new TypeError(
        `Expected \`client\` to be a DynamoDB client with a \`send\` method (AWS SDK version 3) (${where})`,
      );
    }
    return () => client;
  }
  if (clientConfig === undefined) return () => (sharedClient ??= new DynamoDBClient(defaults));
  if (typeof clientConfig !== 'object' || clientConfig === null) {
    throw new TypeError(
      `Expected \`clientConfig\` to be a configuration of DynamoDBClient (${where})`,
    );
  }
  let own: DynamoDBClient | undefined;
  return () => (own ??= new DynamoDBClient({ ...defaults, ...clientConfig }));
}

function isClient(value: unknown): value is DynamoDBClientLike {
  return typeof (value as { send?: unknown } | null)?.send === 'function';
}
