/* Clients that reach no network. */
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type AttributeValue,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';

export type Item = Readonly<Record<string, AttributeValue>>;

interface Command {
  readonly input: Readonly<Record<string, unknown>>;
}

const settings: DynamoDBClientConfig = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

/** A client whose `send` is replaced: what is left is what the contestant does itself. */
export function stubbedClient(send: (command: Command) => Promise<unknown>): DynamoDBClient {
  const client = new DynamoDBClient(settings);
  return Object.assign(client, { send });
}

const $metadata = { httpStatusCode: 200, attempts: 1, totalRetryDelay: 0 };

/** Every write is applied. */
export function acceptingClient(): DynamoDBClient {
  const output = { $metadata };
  return stubbedClient(() => Promise.resolve(output));
}

/** Every write is refused, because of `item`. */
export function refusingClient(item: Item): DynamoDBClient {
  const refusal = new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: { ...$metadata, httpStatusCode: 400 },
    Item: item,
  });
  return stubbedClient(() => Promise.reject(refusal));
}

/** What it was sent stays in `inputs`. */
export function recordingClient(): {
  readonly client: DynamoDBClient;
  readonly inputs: Command['input'][];
} {
  const inputs: Command['input'][] = [];
  const client = stubbedClient(({ input }) => {
    inputs.push(input);
    return Promise.resolve({ $metadata });
  });
  return { client, inputs };
}

/** The whole client, with an answer in the place of the network. */
export function transportedClient(answer: Answer): DynamoDBClient {
  const response = {
    statusCode: answer.statusCode,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': String(answer.body.length),
      'x-amzn-requestid': 'ROSPUJTGAMSA48FIFJ5ST0MR1NVV4KQNSO5AEMVJF66Q9ASUAAJG',
    },
    body: answer.body,
  };
  return new DynamoDBClient({
    ...settings,
    requestHandler: {
      // As the SDK's own handler for Node.js says, in whose place it stands.
      metadata: { handlerProtocol: 'http/1.1' },
      handle: () => Promise.resolve({ response: { ...response } }),
    } as never,
  });
}

export interface Answer {
  readonly statusCode: number;
  readonly body: Uint8Array;
}

export const accepted: Answer = { statusCode: 200, body: Buffer.from('{}') };

export function refused(item: Item): Answer {
  const body = JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    Item: item,
    message: 'The conditional request failed',
  });
  return { statusCode: 400, body: Buffer.from(body) };
}
