import { expect } from 'chai';
import { markReplayed, problemResponse, type ProblemOptions } from '../../lib/events/index.js';
import { IdempotencyInProgressError, IdempotencyKeyError } from '../../lib/index.js';
import { bareSamples, samples, SECRETS } from '../errors/samples.js';

const TYPE = 'https://developer.example.com/idempotency';

interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

function problemOf(error: unknown, options?: ProblemOptions): ProblemDetails {
  return JSON.parse(problemResponse(error, options)?.body ?? '') as ProblemDetails;
}

/** Status, its own words, and what the problem is called where the API documents it. */
const expected: Readonly<Record<string, readonly [number, string, string]>> = {
  InProgress: [409, 'Conflict', 'A request is outstanding for this Idempotency-Key'],
  Key: [400, 'Bad Request', 'Idempotency-Key is missing'],
  PayloadMismatch: [422, 'Unprocessable Content', 'Idempotency-Key is already used'],
  ExpiredClaim: [409, 'Conflict', 'The outcome for this Idempotency-Key is unknown'],
  Store: [503, 'Service Unavailable', 'Idempotency-Key cannot be checked'],
  ClaimLost: [
    500,
    'Internal Server Error',
    'The request with this Idempotency-Key was interrupted',
  ],
  Commit: [500, 'Internal Server Error', 'The request with this Idempotency-Key was interrupted'],
  ResultUnavailable: [
    500,
    'Internal Server Error',
    'The response for this Idempotency-Key is not available',
  ],
  Record: [500, 'Internal Server Error', 'The response for this Idempotency-Key is not available'],
};

describe('problemResponse', () => {
  it('knows every error of the package', () => {
    expect(Object.keys(expected)).to.have.members(Object.keys(samples));
  });

  for (const [name, [status, phrase, title]] of Object.entries(expected)) {
    it(`answers ${name} with ${String(status)}`, () => {
      const error = samples[name];

      expect(problemResponse(error)?.statusCode).to.equal(status);
      expect(problemOf(error)).to.include({ type: 'about:blank', title: phrase, status });
      expect(problemOf(error, { type: TYPE })).to.include({ type: TYPE, title, status });
      expect(problemOf(error).detail).to.match(/^[A-Z].+\.$/);
      expect(Object.keys(problemOf(error))).to.deep.equal(['type', 'title', 'status', 'detail']);
    });
  }

  it('agrees with the status that the error itself has', () => {
    for (const error of Object.values(samples)) {
      expect(problemResponse(error)?.statusCode).to.equal(error.statusCode ?? 500);
    }
  });

  it('is problem+json, in English', () => {
    expect(problemResponse(samples['Key'])?.headers).to.deep.equal({
      'Content-Type': 'application/problem+json',
      'Content-Language': 'en',
    });
  });

  it('says in whole seconds, rounded up, when to send a request in progress again', () => {
    const retryAfter = (ms: number): string | undefined =>
      problemResponse(new IdempotencyInProgressError(new Date(0), ms))?.headers['Retry-After'];

    expect([0, 1, 1000, 1001, 29_500].map(retryAfter)).to.deep.equal(['0', '1', '1', '2', '30']);
    expect([NaN, Infinity].map(retryAfter)).to.deep.equal([undefined, undefined]);
    expect(retryAfter(-5)).to.equal('0');
  });

  it('tells a client nothing of keys, results, payloads, methods, tables or causes', () => {
    const internal = [...SECRETS, 'Orders', 'orders-table', 'capacity', 'cause', 'condition'];
    for (const error of [...Object.values(samples), ...Object.values(bareSamples)]) {
      for (const options of [{}, { type: TYPE }]) {
        const text = JSON.stringify(problemResponse(error, options));

        for (const word of internal) expect(text).not.to.include(word);
      }
    }
  });

  it('tells a missing key from one that cannot be used', () => {
    const unusable = new IdempotencyKeyError('several', { missing: false });

    expect(problemOf(unusable, { type: TYPE })).to.include({
      title: 'Idempotency-Key is not valid',
      status: 400,
    });
  });

  it('takes the name of the header, and a type for each code', () => {
    const problem = problemOf(samples['InProgress'], {
      header: 'X-Request-Token',
      type: (code) => `${TYPE}#${code}`,
    });

    expect(problem.title).to.equal('A request is outstanding for this X-Request-Token');
    expect(problem.detail).to.include('X-Request-Token');
    expect(problem.type).to.equal(`${TYPE}#ERR_IDEMPOTENCY_IN_PROGRESS`);
  });

  it('leaves what is not ours alone', () => {
    const declined = Object.assign(new Error('declined'), { code: 'CARD_DECLINED' });
    const unknown = Object.assign(new Error('no'), { code: 'ERR_IDEMPOTENCY_OF_A_NEWER_VERSION' });

    for (const error of [declined, unknown, undefined, null, 'ERR_IDEMPOTENCY_KEY', {}]) {
      expect(problemResponse(error)).to.equal(undefined);
    }
  });
});

describe('markReplayed', () => {
  it('adds its header to the others and leaves the recorded reply as it is', () => {
    const reply = { statusCode: 201, headers: { Location: '/orders/1' }, body: '' };

    expect(markReplayed(reply)).to.deep.equal({
      ...reply,
      headers: { Location: '/orders/1', 'Idempotent-Replayed': 'true' },
    });
    expect(reply.headers).to.deep.equal({ Location: '/orders/1' });
    expect(markReplayed({ statusCode: 204 })).to.deep.equal({
      statusCode: 204,
      headers: { 'Idempotent-Replayed': 'true' },
    });
  });

  it('goes where a load balancer with multi-value headers looks', () => {
    const reply = { statusCode: 201, multiValueHeaders: { Location: ['/orders/1'] } };

    expect(markReplayed(reply)).to.deep.equal({
      statusCode: 201,
      multiValueHeaders: { Location: ['/orders/1'], 'Idempotent-Replayed': ['true'] },
    });
  });
});
