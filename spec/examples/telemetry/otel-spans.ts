import { SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { IdempotencyEvent } from '../../../lib/index.js';

/** Events that end a call; the others become events on its span. */
const ENDS: ReadonlySet<IdempotencyEvent['type']> = new Set([
  'replayed',
  'in-progress',
  'completed',
  'released',
  'claim-lost',
  'completion-failed',
]);

const MAX_UNDER_WAY = 1000;

/**
 * Turns events into OpenTelemetry spans: one per call, from its beginning to the event that ends it,
 * as a child of the span that is active then. What happens on the way (claims, renewals, failures of
 * the store) becomes an event on the span. Ids are left out, since traces are read by many.
 *
 * @example
 * ```ts
 * observeIdempotency(otelSpans(trace.getTracer('mayfly-idempotency')));
 * ```
 */
export function otelSpans(
  tracer: Tracer,
  now: () => number = Date.now,
): (event: IdempotencyEvent) => void {
  const underWay = new Map<string, { atMs: number; event: IdempotencyEvent }[]>();
  return (event) => {
    const atMs = now();
    const seen = underWay.get(event.token) ?? [];
    seen.push({ atMs, event });
    if (!ENDS.has(event.type)) {
      underWay.set(event.token, seen);
      forgetOldest(underWay);
      return;
    }
    underWay.delete(event.token);
    const span = tracer.startSpan(`idempotency ${event.method}`, {
      startTime: atMs - event.durationMs,
      attributes: {
        'idempotency.method': event.method,
        'idempotency.namespace': event.namespace,
        'idempotency.outcome': event.type,
      },
    });
    for (const step of seen) span.addEvent(step.event.type, step.atMs);
    if (event.type === 'claim-lost' || event.type === 'completion-failed') {
      span.setStatus({ code: SpanStatusCode.ERROR, message: event.type });
    }
    span.end(atMs);
  };
}

/** A call whose claim fails has no ending event: what is kept of such calls must not grow. */
function forgetOldest(underWay: Map<string, unknown>): void {
  const [oldest] = underWay.keys();
  if (underWay.size > MAX_UNDER_WAY && oldest !== undefined) underWay.delete(oldest);
}
