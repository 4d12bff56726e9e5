import { expect } from 'chai';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { observeIdempotency } from '../../lib/index.js';
import { Harness } from '../execution/harness.js';
import { emfMetrics } from '../examples/telemetry/emf-metrics.js';
import { otelSpans } from '../examples/telemetry/otel-spans.js';
import { expectRejection } from '../support/expect-rejection.js';

describe('telemetry examples', () => {
  let harness: Harness;
  let stop: () => void;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    stop();
    harness.dispose();
  });

  describe('CloudWatch metrics in embedded format', () => {
    it('are one line an event, with count and duration, and without the key', async () => {
      const lines: string[] = [];
      stop = observeIdempotency(
        emfMetrics(
          (line) => lines.push(line),
          () => harness.clock.now(),
        ),
      );

      await harness.call(() => harness.clock.advance(250));
      await harness.call(() => undefined);

      const metrics = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(metrics.map(({ type }) => type)).to.deep.equal(['claimed', 'completed', 'replayed']);
      expect(metrics[1]).to.deep.include({ method: 'runIdempotent', events: 1, duration: 250 });
      expect(metrics[0]?.['_aws']).to.deep.equal({
        Timestamp: harness.clock.now() - 250,
        CloudWatchMetrics: [
          {
            Namespace: 'Idempotency',
            Dimensions: [['method', 'type']],
            Metrics: [
              { Name: 'events', Unit: 'Count' },
              { Name: 'duration', Unit: 'Milliseconds' },
            ],
          },
        ],
      });
      expect(lines.join('\n')).to.not.include('o1');
      expect(lines.every((line) => !line.includes('\n'))).to.equal(true);
    });
  });

  describe('OpenTelemetry spans', () => {
    it('are one a call, from its beginning to its end, with what happened on the way', async () => {
      const exporter = new InMemorySpanExporter();
      const provider = new BasicTracerProvider({
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      });
      stop = observeIdempotency(otelSpans(provider.getTracer('spec'), () => harness.clock.now()));
      const startMs = harness.clock.now();

      await harness.call(() => harness.clock.advance(25_000));
      await harness.call(() => undefined);
      await expectRejection(
        harness.call(() => Promise.reject(new Error('declined')), { key: 'o2' }),
      );

      const spans = exporter.getFinishedSpans();
      expect(spans.map(({ attributes }) => attributes['idempotency.outcome'])).to.deep.equal([
        'completed',
        'replayed',
        'released',
      ]);
      const [first] = spans;
      expect(first?.name).to.equal('idempotency runIdempotent');
      expect(first?.startTime).to.deep.equal([startMs / 1000, 0]);
      expect(first?.duration).to.deep.equal([25, 0]);
      expect(first?.events.map(({ name }) => name)).to.deep.equal([
        'claimed',
        'renewed',
        'completed',
      ]);
      expect(JSON.stringify(spans.map(({ attributes }) => attributes))).to.not.include('o1');
    });
  });
});
