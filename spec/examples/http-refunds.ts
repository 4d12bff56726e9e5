import type { APIGatewayProxyEventV2WithJWTAuthorizer, Context } from 'aws-lambda';
import { header, problemResponse } from '../../lib/events/index.js';
import { Idempotent } from '../../lib/index.js';

/** What the API says about its keys: problems link to it. */
const DOCUMENTATION = 'https://developer.example.com/idempotency';

export interface Refunds {
  refund(paymentId: string): Promise<{ readonly refundId: string }>;
}

export interface Reply {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

/**
 * An HTTP API whose clients retry under an `Idempotency-Key`: the same key with another request is
 * refused, a request that failed is run again, and a reply given before says that it was.
 */
export class RefundApi {
  constructor(private readonly refunds: Refunds) {}

  async handle(event: APIGatewayProxyEventV2WithJWTAuthorizer, context: Context): Promise<Reply> {
    try {
      return await this.refund(event, context);
    } catch (error) {
      const problem = problemResponse(error, { type: DOCUMENTATION });
      if (problem === undefined) throw error;
      return problem;
    }
  }

  @Idempotent({
    key: header('Idempotency-Key', { scope: (e) => e.requestContext.authorizer.jwt.claims['sub'] }),
    ttl: 24 * 3600,
    namespace: 'refunds',
    fingerprint: (e) => [e.rawPath, e.body ?? ''],
    recordResultIf: (reply) => reply.statusCode < 500,
    onReplay: (reply, { completedAt }) => ({
      ...reply,
      headers: {
        ...reply.headers,
        'Idempotent-Replayed': 'true',
        ...(completedAt === undefined ? {} : { 'Original-Date': completedAt.toUTCString() }),
      },
    }),
  })
  private async refund(
    event: APIGatewayProxyEventV2WithJWTAuthorizer,
    _context: Context,
  ): Promise<Reply> {
    const { paymentId } = JSON.parse(event.body ?? '') as { paymentId: string };
    return { statusCode: 201, body: JSON.stringify(await this.refunds.refund(paymentId)) };
  }
}
