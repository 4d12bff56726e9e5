/*
 * Stands in for `@aws-sdk/client-dynamodb` in the workers that get killed: loading and warming up
 * the SDK is most of what such a short life costs. It sends the same requests, unsigned, which local
 * engines accept; where a worker dies is decided between the bytes of a request and of its reply.
 */
import { request, type IncomingMessage } from 'node:http';

class Command {
  constructor(readonly input: object) {}
}

export class DeleteItemCommand extends Command {}
export class GetItemCommand extends Command {}
export class PutItemCommand extends Command {}
export class TransactWriteItemsCommand extends Command {}
export class UpdateItemCommand extends Command {}

/** Steps around a request; `operation` as in `PutItem`. */
export interface RequestSteps {
  before?(operation: string): Promise<void>;
  /** Its last byte has been handed to the system. */
  sent?(operation: string): void;
  /** The head of its reply is here. */
  replied?(operation: string): Promise<void>;
}

export class DynamoDBClient {
  readonly #endpoint: string;
  readonly #steps: RequestSteps;

  constructor({ endpoint, steps = {} }: { endpoint: string; steps?: RequestSteps }) {
    this.#endpoint = endpoint;
    this.#steps = steps;
  }

  async send(command: Command): Promise<unknown> {
    const operation = command.constructor.name.replace(/Command$/, '');
    await this.#steps.before?.(operation);
    const reply = await this.#post(operation, JSON.stringify(command.input));
    await this.#steps.replied?.(operation);
    const output = JSON.parse(await textOf(reply)) as { __type?: string };
    const $metadata = { httpStatusCode: reply.statusCode, attempts: 1 };
    if (reply.statusCode === 200) return { ...output, $metadata };
    throw Object.assign(new Error(output.__type), output, {
      name: output.__type?.split('#')[1],
      $metadata,
    });
  }

  #post(operation: string, body: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const post = request(this.#endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'content-length': Buffer.byteLength(body),
          'x-amz-target': `DynamoDB_20120810.${operation}`,
          'x-amz-date': '20300101T000000Z',
          authorization:
            'AWS4-HMAC-SHA256 Credential=local/20300101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
        },
      });
      post.once('response', resolve);
      post.once('error', reject);
      post.once('finish', () => this.#steps.sent?.(operation));
      post.end(body);
    });
  }
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
